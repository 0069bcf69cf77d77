/** Chooses the format of a list: by the query, else by the Accept header (RFC 9110, 12.5.1). */
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

/** Returns the first of equally preferred formats, and JSON if none is accepted. */
export function formatOf(requested: ListFormat | undefined, accept?: string): ListFormat {
  if (requested) return requested
  const wanted = rangesOf(accept).flatMap(({ type, weight }) => {
    const format = Object.hasOwn(formats, type) ? formats[type] : undefined
    return format && weight > 0 ? [{ format, weight }] : []
  })
  return wanted.sort((a, b) => b.weight - a.weight)[0]?.format ?? 'json'
}
