/** How far a projection is behind its stream. */
import type { Bus } from '@tidemark/bus/connection'
import type { Pool } from 'pg'
import { type CheckpointKey, readCheckpoint } from './checkpoint.ts'

/**
 * In messages of the stream, whether its filter lets them through or not. Below 0 for a stream that has lost what was
 * projected already.
 */
export async function lagOf({
  bus,
  pool,
  ...key
}: CheckpointKey & { bus: Bus; pool: Pool }): Promise<number> {
  const { state } = await bus.jsm.streams.info(key.stream)
  return state.last_seq - (await readCheckpoint(pool, key))
}
