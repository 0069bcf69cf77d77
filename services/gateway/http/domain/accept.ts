/** Reads the preferences of a header such as Accept (RFC 9110, 12.5.1) and Accept-Encoding (12.5.3). */

type MediaRange = { type: string; weight: number }

/** Returns the media ranges in their order, in lower case. An invalid weight counts as 0. */
export function rangesOf(accept = ''): MediaRange[] {
  // None of our types has parameters, and a quoted text can only contain characters that look like separators.
  const plain = accept.replace(/"[^"]*"?/g, '')
  return plain.split(',').map(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    return { type, weight: weightOf(parameters) }
  })
}

/** Returns whether errors are sent as problem details (RFC 9457): if the client names them and does not prefer plain JSON. */
export function prefersProblemDetails(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const details = weightFor(ranges, [problemDetails])
  return details > 0 && details >= weightFor(ranges, ['application/json', 'application/*', '*/*'])
}

/** Returns whether to answer with server-sent events: if the client names them and does not prefer plain JSON. */
export function prefersEvents(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const events = weightFor(ranges, ['text/event-stream'])
  return events > 0 && events >= weightFor(ranges, ['application/json', 'application/*'])
}

const problemDetails = 'application/problem+json'

/** Returns the weight of the first type that is named, in the order from specific to general; 0 if none is named. */
export function weightFor(ranges: MediaRange[], types: string[]): number {
  const named = types.map(type => ranges.find(range => range.type === type))
  return named.find(range => range !== undefined)?.weight ?? 0
}

function weightOf(parameters: string[]): number {
  const stated = parameters.find(parameter => parameter.startsWith('q='))
  if (stated === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(stated.slice(2)) ? Number(stated.slice(2)) : 0
}
