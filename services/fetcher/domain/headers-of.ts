/** Selects the response fields that are stored with a page or reported, truncated to a maximum length. */
import { essenceOf } from '@tidemark/html/media-type'
import type { Headers } from '@tidemark/http/headers'

/** Maximum characters of one field. */
const maxFieldLength = 1024

/** Returns the fields of these names, truncated to the maximum length. */
export function headersOf(
  headers: Headers,
  names: readonly string[],
  maxLength = maxFieldLength,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value.slice(0, maxLength)]]
    }),
  )
}

/** Returns the two fields that every page has, truncated; null: the response does not have the field. */
export const typeAndRobotsOf = (headers: Headers) => ({
  contentType: singleType(headers['content-type']?.slice(0, maxFieldLength) ?? null),
  robotsHeader: headers['x-robots-tag']?.slice(0, maxFieldLength) ?? null,
})

/** The values of a field that was sent several times. A quoted comma separates nothing. */
const eachValue = /(?:[^,"]|"[^"]*"?)+/g
const charset = /;\s*charset\s*=/i

/**
 * Returns the value of a repeated Content-Type that counts, as in browsers (WHATWG Fetch, "extract a MIME type"). It is
 * the last valid value, or an equal type before it that has the charset. Server and application often both send the
 * field.
 */
function singleType(contentType: string | null): string | null {
  const values = contentType?.match(eachValue) ?? []
  if (values.length < 2) return contentType
  let last: string | null = null
  for (const value of values) {
    const type = essenceOf(value)
    if (type === '' || type === '*/*') continue
    const isLessExact =
      last !== null && type === essenceOf(last) && charset.test(last) && !charset.test(value)
    if (!isLessExact) last = value.trim()
  }
  return last ?? contentType
}
