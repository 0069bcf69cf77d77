/** Returns the identity of a commit: a hash of its subject, its predecessor's sequence and its content. */
import { createHash } from 'node:crypto'

export function commitIdOf(subject: string, expected: number, json: string): string {
  return createHash('sha256').update(`${subject}\n${expected}\n`).update(json).digest('base64url')
}
