/** Selects the response fields that are stored with a page. */
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
