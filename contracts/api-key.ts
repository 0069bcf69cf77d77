/**
 * API keys as they are written: `tmk_`, forty random characters, and six that check them (docs/api.md, Keys).
 * The fixed beginning lets secret scanners find a leaked key; the check tells a typing error without a look-up.
 */
export const apiKey = { fixed: 'tmk_', random: 40, check: 6, prefix: 12 } as const

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const shape = new RegExp(`^${apiKey.fixed}[0-9A-Za-z]{${apiKey.random + apiKey.check}}$`)

/** Whether this can be a key at all: its form is right and its check fits. */
export const isApiKeyShaped = (text: string): boolean =>
  shape.test(text) && text.endsWith(checkOf(text.slice(0, -apiKey.check)))

/** What a key is found and named by: its first 12 characters. */
export const prefixOf = (key: string): string => key.slice(0, apiKey.prefix)

/** The last six characters of a key: the CRC-32 of what stands before them, to the base of 62. */
export function checkOf(text: string): string {
  let rest = crc32(text)
  let check = ''
  while (check.length < apiKey.check) {
    check = base62.charAt(rest % base62.length) + check
    rest = Math.floor(rest / base62.length)
  }
  return check
}

/** CRC-32 of ASCII text, as in gzip (RFC 1952, 8). */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
