/** The requested range of a file (RFC 9110, 14.2). */

/** The first and the last byte. */
export type ByteRange = { first: number; last: number }

const syntax = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * Returns the range. Returns `all` if there is no range, or one that a server may ignore: several ranges, or another
 * syntax. Returns `outside` if no byte of the file is in the range.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'all' | 'outside' {
  const [, from = '', to = ''] = syntax.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (from === '' && to === '') return 'all'
  if (from === '') return suffixOf(Number(to), bytes)
  const [first, last] = [Number(from), to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)]
  if (to !== '' && Number(to) < first) return 'all'
  return first < bytes ? { first, last } : 'outside'
}

const suffixOf = (length: number, bytes: number): ByteRange | 'outside' =>
  length === 0 || bytes === 0 ? 'outside' : { first: Math.max(0, bytes - length), last: bytes - 1 }
