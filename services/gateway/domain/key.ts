/**
 * API keys as they stand in a header (api decisions, Keys): `tmk_`, forty random characters, six that check
 * them, so that what was mistyped or made up costs no look-up. Who a key belongs to is found by its first
 * twelve characters; that it is the key is told by its hash alone.
 */

/** `Bearer` in any case (RFC 9110, 11.1), and what may be a key. */
const bearer = /^bearer +(tmk_[0-9A-Za-z]{46})$/i

const prefixLength = 12
const checkLength = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The key in an Authorization header, or null when there is none that we could ever have given out. */
export function keyOf(header: string | undefined): string | null {
  const key = bearer.exec(header ?? '')?.[1] ?? null
  return key?.endsWith(checkOf(key.slice(0, -checkLength))) ? key : null
}

export const prefixOf = (key: string): string => key.slice(0, prefixLength)

/** The last six characters of a key: the CRC-32 of what stands before them, to the base of 62. */
export function checkOf(text: string): string {
  let rest = crc32(text)
  let check = ''
  while (check.length < checkLength) {
    check = digits.charAt(rest % digits.length) + check
    rest = Math.floor(rest / digits.length)
  }
  return check
}

/** Whether a key still lets in at this time (epoch milliseconds). */
export const isValidAt = (
  { expiresAt, revokedAt }: { expiresAt: string | null; revokedAt: string | null },
  now: number,
): boolean => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)

/** CRC-32 of ASCII text, as in gzip (RFC 1952, 8). */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
