/** No projection has read more than its stream holds: else the stream lost its end, or was made anew. */
import type { Place } from '../places.ts'
import { count, type Findings } from './check.ts'

/** `ends` are last sequences by stream, asked for after the places were read. */
export function checkCheckpoints(places: readonly Place[], ends: ReadonlyMap<string, number>): Findings {
  const wrong = places.flatMap(({ schema, projection, partition, stream, sequence }) => {
    const end = ends.get(stream)
    const who = `${schema}.${projection}${partition === 'all' ? '' : ` (${partition})`}`
    if (end === undefined) return [`${who} reads ${stream}, and there is no such stream`]
    return sequence > end ? [`${who} has read ${stream} up to ${sequence}, but it ends at ${end}`] : []
  })
  return { looked: count(places.length, 'checkpoint'), wrong }
}
