/**
 * Authenticates a key. Its first twelve characters find the project, and its hash alone proves it. Mistyped and made-up
 * keys cost no look-up.
 */
import { isApiKeyShaped } from '@tidemark/contracts/api-key'

/** `Bearer` in any case (RFC 9110, 11.1), and text in the form of a key. */
const bearer = /^bearer +(\S+)$/i

/** Returns the key of an Authorization header, or null if it cannot be one of ours. */
export function keyOf(header: string | undefined): string | null {
  const key = bearer.exec(header ?? '')?.[1] ?? null
  return key !== null && isApiKeyShaped(key) ? key : null
}

/** Whether a key is valid at this time (epoch milliseconds). */
export const isValidAt = (
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  now: number,
): boolean => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
