/** What every projection has read is still in its stream: else the stream lost its end, or was made anew. */
import type { Bus } from '@tidemark/bus/connection'
import { lossOf } from '@tidemark/bus/loss/lost-end'
import type { Place } from '../places.ts'
import { count, type Findings } from './check.ts'

/** `ends` are last sequences by stream, asked for after the places were read. */
export async function checkCheckpoints(
  bus: Bus,
  places: readonly Place[],
  ends: ReadonlyMap<string, number>,
): Promise<Findings> {
  const wrong: string[] = []
  for (const place of places) {
    const { schema, projection, partition, stream, sequence } = place
    const end = ends.get(stream)
    const who = `${schema}.${projection}${partition === 'all' ? '' : ` (${partition})`}`
    if (end === undefined) wrong.push(`${who} reads ${stream}, and there is no such stream`)
    else if (sequence > end) wrong.push(`${who} has read ${stream} up to ${sequence}, but it ends at ${end}`)
    else {
      const loss = await lossOf(bus, stream, place)
      if (loss !== null) wrong.push(`${who} has read what is gone: ${loss}`)
    }
  }
  return { looked: count(places.length, 'checkpoint'), wrong }
}
