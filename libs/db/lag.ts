/** How far a projection is behind its stream, in messages and in time. */
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import pg, { type Pool } from 'pg'
import type { CheckpointKey } from './checkpoint.ts'

/** What the projection reads of its stream, as `Projection` has it. */
export type Place = CheckpointKey & { bus: Bus; pool: Pool; filter?: string | string[] }

/**
 * `messages`: of the stream behind the checkpoint, whether the filter lets them through or not; 0 where it lets none
 * of them through, and below 0 for a stream that has lost what was projected already. `seconds`: the age of the first
 * that it lets through.
 */
export type Lag = { projection: string; stream: string; messages: number; seconds: number }

/** As of now. Rejects where Postgres or the stream does not answer. */
export async function lagOf({ bus, pool, filter, ...key }: Place): Promise<Lag> {
  const { projection, stream } = key
  // In this order: a stream that is looked at first would seem to end before what is read of it meanwhile.
  const at = await reached(pool, key)
  const { state } = await bus.jsm.streams.info(stream)
  const messages = state.last_seq - at
  if (messages <= 0) return { projection, stream, messages, seconds: 0 }
  const next = await Promise.all([filter ?? '>'].flat().map(subject => nextOf(bus, stream, at + 1, subject)))
  const times = next.filter(time => time !== null)
  if (times.length === 0) return { projection, stream, messages: 0, seconds: 0 }
  return { projection, stream, messages, seconds: Math.max(0, (Date.now() - Math.min(...times)) / 1_000) }
}

/** Without waiting for a projection that is in the middle of something: one that is stuck there is what this is for. */
async function reached(
  pool: Pool,
  { schema, projection, partition, stream }: CheckpointKey,
): Promise<number> {
  const { rows } = await pool.query<{ sequence: number }>(
    `select sequence from ${pg.escapeIdentifier(schema)}.checkpoint
     where projection = $1 and partition = $2 and stream = $3`,
    [projection, partition, stream],
  )
  return rows[0]?.sequence ?? 0
}

/** When the first message of the subject from there on was stored; null where there is none. */
async function nextOf(bus: Bus, stream: string, seq: number, subject: string): Promise<number | null> {
  const message = await storedMessage(bus, stream, { seq, next_by_subj: subject })
  return message?.time.getTime() ?? null
}
