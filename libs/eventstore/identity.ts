/** The identity of a commit: its subject, its predecessor and its content. */
import { createHash } from 'node:crypto'

export function identityOf(subject: string, expected: number, json: string): string {
  return createHash('sha256').update(`${subject}\n${expected}\n`).update(json).digest('base64url')
}
