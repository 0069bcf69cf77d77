/** Splits a URL in normal form into the parts that trap rules inspect. */

export type Parameter = { name: string; value: string }

export type Address = {
  /** Scheme, host and port. */
  origin: string
  path: string
  /** Segments of the path, without empty ones. */
  segments: readonly string[]
  /** The query without the question mark. */
  query: string
  /** Parameters in the order of the query, with escaped names and values. */
  parameters: readonly Parameter[]
}

/** Returns the parts of a URL in normal form. */
export function addressOf(url: string): Address {
  const pathAt = url.indexOf('/', url.indexOf('//') + 2)
  const found = url.indexOf('?', pathAt)
  const queryAt = found === -1 ? url.length : found
  const path = url.slice(pathAt, queryAt)
  const query = url.slice(queryAt + 1)
  return {
    origin: url.slice(0, pathAt),
    path,
    segments: path.split('/').filter(segment => segment !== ''),
    query,
    parameters: query === '' ? none : query.split('&').filter(Boolean).map(parameterOf),
  }
}

const none: readonly Parameter[] = []

function parameterOf(text: string): Parameter {
  const equals = text.indexOf('=')
  return equals === -1
    ? { name: text, value: '' }
    : { name: text.slice(0, equals), value: text.slice(equals + 1) }
}

/** Returns a part of an address for a message, truncated to 60 characters. */
export const shown = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59)}…`)
