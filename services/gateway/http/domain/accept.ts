/** What a client would rather read, as its Accept header says (RFC 9110, 12.5.1). */

export type MediaRange = { type: string; weight: number }

/** The ranges in their order, in lower case; one whose weight is none has 0. */
export function rangesOf(accept = ''): MediaRange[] {
  // No type of ours has parameters, and text in quotes could only hold separators that are none.
  const plain = accept.replace(/"[^"]*"?/g, '')
  return plain.split(',').map(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    return { type, weight: weightOf(parameters) }
  })
}

/** Whether errors go out as problem details (RFC 9457): to who names them, unless plain JSON is wanted more. */
export function prefersProblemDetails(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const details = weightFor(ranges, [problemDetails])
  return details > 0 && details >= weightFor(ranges, ['application/json', 'application/*', '*/*'])
}

/** Whether an answer goes out as server-sent events: to who names them, unless plain JSON is wanted more. */
export function prefersEvents(accept: string | undefined): boolean {
  const ranges = rangesOf(accept)
  const events = weightFor(ranges, ['text/event-stream'])
  return events > 0 && events >= weightFor(ranges, ['application/json', 'application/*'])
}

const problemDetails = 'application/problem+json'

/** Of the first of these types that is named, from the most exact to the widest; 0 where none is. */
function weightFor(ranges: MediaRange[], types: string[]): number {
  const named = types.map(type => ranges.find(range => range.type === type))
  return named.find(range => range !== undefined)?.weight ?? 0
}

function weightOf(parameters: string[]): number {
  const stated = parameters.find(parameter => parameter.startsWith('q='))
  if (stated === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(stated.slice(2)) ? Number(stated.slice(2)) : 0
}
