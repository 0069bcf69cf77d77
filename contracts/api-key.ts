/**
 * The written form of API keys: `tmk_`, forty random characters and a checksum of six (docs/api/account.md, Keys).
 * The fixed prefix lets secret scanners find a leaked key. The checksum detects typing errors without a lookup.
 */
export const apiKey = { fixed: 'tmk_', random: 40, check: 6, prefix: 12 } as const

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const shape = new RegExp(`^${apiKey.fixed}[0-9A-Za-z]{${apiKey.random + apiKey.check}}$`)

/** Returns whether the form and the checksum of a key are valid. */
export const isApiKeyShaped = (text: string): boolean =>
  shape.test(text) && text.endsWith(checkOf(text.slice(0, -apiKey.check)))

/** Returns the first 12 characters of a key, which identify it. */
export const prefixOf = (key: string): string => key.slice(0, apiKey.prefix)

/** Returns the last six characters of a key: the CRC-32 of all characters before them, in base 62. */
export function checkOf(text: string): string {
  let rest = crc32(text)
  let check = ''
  while (check.length < apiKey.check) {
    check = base62.charAt(rest % base62.length) + check
    rest = Math.floor(rest / base62.length)
  }
  return check
}

/** Returns the CRC-32 of ASCII text, as in gzip (RFC 1952, 8). */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
