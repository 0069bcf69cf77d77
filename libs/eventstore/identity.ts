/** What makes a commit the same commit: where it goes, what it follows and what it says. */
import { createHash } from 'node:crypto'

export function identityOf(subject: string, expected: number, json: string): string {
  return createHash('sha256').update(`${subject}\n${expected}\n`).update(json).digest('base64url')
}
