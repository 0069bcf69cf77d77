/**
 * Reads from the address which calls of the log to show. Parts after the first have an end time (`until`), because each
 * read of the log adds a call at its front, which would shift the offsets.
 */

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
