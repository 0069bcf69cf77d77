/** In which form a list is sent: as the query says, else as the Accept header prefers (RFC 9110, 12.5.1). */
import { rangesOf } from './accept.ts'

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
export function formatOf(asked: ListFormat | undefined, accept?: string): ListFormat {
  if (asked) return asked
  const wanted = rangesOf(accept).flatMap(({ type, weight }) => {
    const format = Object.hasOwn(formats, type) ? formats[type] : undefined
    return format && weight > 0 ? [{ format, weight }] : []
  })
  return wanted.sort((a, b) => b.weight - a.weight)[0]?.format ?? 'json'
}
