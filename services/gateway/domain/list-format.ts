/** In which form a list is sent: as the query says, else as the Accept header prefers (RFC 9110, 12.5.1). */

export type ListFormat = 'json' | 'ndjson' | 'csv'

export const mediaTypes = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
} as const

const formats: Record<string, ListFormat> = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
  'text/*': 'csv',
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
}

/** Of what is wanted equally, the first; JSON where nothing of ours is wanted. */
export function formatOf(asked: ListFormat | undefined, accept = ''): ListFormat {
  if (asked) return asked
  const wanted = accept.split(',').flatMap(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    const format = Object.hasOwn(formats, type) ? formats[type] : undefined
    const weight = weightOf(parameters)
    return format && weight > 0 ? [{ format, weight }] : []
  })
  return wanted.sort((a, b) => b.weight - a.weight)[0]?.format ?? 'json'
}

function weightOf(parameters: string[]): number {
  const stated = parameters.find(parameter => parameter.startsWith('q='))
  const weight = stated === undefined ? 1 : Number(stated.slice(2))
  return weight >= 0 && weight <= 1 ? weight : 0
}
