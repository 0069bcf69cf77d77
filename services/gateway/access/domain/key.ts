/**
 * Checks the form of API keys. The first twelve characters find the key, and only its hash proves it. Mistyped and
 * invented keys cause no look-up, because their checksum is wrong.
 */
import { isApiKeyShaped } from '@tidemark/contracts/api-key'

/** The scheme `Bearer` in any case (RFC 9110, 11.1), and a text without spaces. */
const bearer = /^bearer +(\S+)$/i

/** Returns the text after `Bearer` of an Authorization header, or null. */
export const bearerOf = (header: string | undefined): string | null => bearer.exec(header ?? '')?.[1] ?? null

/** Returns the key of an Authorization header, or null if it cannot be one of ours. */
export function keyOf(header: string | undefined): string | null {
  const key = bearerOf(header)
  return key !== null && isApiKeyShaped(key) ? key : null
}

/** Returns whether a key is valid at this time (milliseconds since 1970). */
export const isValidAt = (
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  now: number,
): boolean => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
