/** Selects the response fields that are stored with a page or reported, truncated to a maximum length. */
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
  contentType: headers['content-type']?.slice(0, maxFieldLength) ?? null,
  robotsHeader: headers['x-robots-tag']?.slice(0, maxFieldLength) ?? null,
})
