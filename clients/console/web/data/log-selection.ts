/** Selects the calls of the log by the address. Parts after the first end at a time, because each read adds a call. */

const partLength = 200

type LogSelection = { limit: number; offset: number; until?: string; status_min?: number }

export function logSelection(query: URLSearchParams): LogSelection {
  const offset = Number(query.get('offset') ?? 0)
  const until = offset > 0 ? query.get('until') : null
  return {
    limit: partLength,
    offset,
    ...(until !== null && { until }),
    ...(query.get('only') === 'errors' && { status_min: 400 }),
  }
}
