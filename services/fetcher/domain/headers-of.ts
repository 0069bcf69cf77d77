/** Fields of an answer that are passed on. */
import type { Headers } from '@tidemark/http/headers'

/** Characters of one field; what is longer says nothing to us. */
const longestField = 1024

/** Those of these names that came, cut to what is passed on. */
export function headersOf(
  headers: Headers,
  names: readonly string[],
  longest = longestField,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value.slice(0, longest)]]
    }),
  )
}
