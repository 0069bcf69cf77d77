/** Reads the key of a request, and decides whether a key is valid. */

/** The scheme `Bearer` in any case (RFC 9110, 11.1), and a text without spaces. */
const bearer = /^bearer +(\S+)$/i

/** Returns the text after `Bearer` of an Authorization header, or null. */
export const bearerOf = (header: string | undefined): string | null => bearer.exec(header ?? '')?.[1] ?? null

/** Returns whether a key is valid at this time (milliseconds since 1970). */
export const isValidAt = (
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  now: number,
): boolean => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)
