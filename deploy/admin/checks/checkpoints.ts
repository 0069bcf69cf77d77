/** Checks that the messages that projections have read are still in their streams: no stream lost its end or was recreated. */
import type { Bus } from '@tidemark/bus/connection'
import { lossOf } from '@tidemark/bus/loss/lost-end'
import type { ReaderPosition } from '../reader-positions.ts'
import { count, type Findings } from './check.ts'

/**
 * Returns the readers that are ahead of their streams.
 * @param ends last sequences by stream, read after the checkpoints
 */
export async function checkCheckpoints(
  bus: Bus,
  positions: readonly ReaderPosition[],
  ends: ReadonlyMap<string, number>,
): Promise<Findings> {
  const wrong: string[] = []
  for (const position of positions) {
    const { schema, projection, partition, stream, sequence } = position
    const end = ends.get(stream)
    const reader = `${schema}.${projection}${partition === 'all' ? '' : ` (${partition})`}`
    if (end === undefined) wrong.push(`${reader} reads ${stream}, and there is no such stream`)
    else if (sequence > end)
      wrong.push(`${reader} has read ${stream} up to ${sequence}, but it ends at ${end}`)
    else {
      const loss = await lossOf(bus, stream, position)
      if (loss !== null) wrong.push(`${reader} has read messages that are missing: ${loss}`)
    }
  }
  return { looked: count(positions.length, 'checkpoint'), wrong }
}
