/**
 * Letting a key in. Who it belongs to is found by its first twelve characters; that it is the key is told by
 * its hash alone; and what was mistyped or made up costs no look-up.
 */
import { isApiKeyShaped } from '@tidemark/contracts/api-key'

/** `Bearer` in any case (RFC 9110, 11.1), and what may be a key. */
const bearer = /^bearer +(\S+)$/i

/** The key in an Authorization header, or null when there is none that we could ever have given out. */
export function keyOf(header: string | undefined): string | null {
  const key = bearer.exec(header ?? '')?.[1] ?? null
  return key !== null && isApiKeyShaped(key) ? key : null
}

/** Whether a key still lets in at this time (epoch milliseconds). */
export const isValidAt = (
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  now: number,
): boolean => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
