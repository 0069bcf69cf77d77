/** Measures how far a projection is behind its stream, in messages and in time. */
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import pg, { type Pool } from 'pg'
import type { CheckpointKey } from './checkpoint.ts'

/** The projection, and the filter of its stream, as in `Projection`. */
export type ReadPosition = CheckpointKey & { bus: Bus; pool: Pool; filter?: string | string[] }

/**
 * `messages`: number of all messages of the stream after the checkpoint, or 0 if none of them matches the filter. It is
 * negative if the stream has lost messages that were projected. `seconds`: age of the first message that matches.
 */
export type Lag = { projection: string; stream: string; messages: number; seconds: number }

/** Returns the current lag. Rejects if Postgres or the stream does not respond. */
export async function lagOf({ bus, pool, filter, ...key }: ReadPosition): Promise<Lag> {
  const { projection, stream } = key
  // The checkpoint first: otherwise the stream would seem to end before messages that are projected meanwhile.
  const at = await reached(pool, key)
  const { state } = await bus.jsm.streams.info(stream)
  const messages = state.last_seq - at
  if (messages <= 0) return { projection, stream, messages, seconds: 0 }
  const next = await Promise.all([filter ?? '>'].flat().map(subject => nextOf(bus, stream, at + 1, subject)))
  const times = next.filter(time => time !== null)
  if (times.length === 0) return { projection, stream, messages: 0, seconds: 0 }
  return { projection, stream, messages, seconds: Math.max(0, (Date.now() - Math.min(...times)) / 1_000) }
}

/** Returns the checkpoint. Takes no lock, so that it also works while the projection is stuck. */
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

/** Returns when the first message of the subject from there on was stored; null if there is no message. */
async function nextOf(bus: Bus, stream: string, seq: number, subject: string): Promise<number | null> {
  const message = await storedMessage(bus, stream, { seq, next_by_subj: subject })
  return message?.time.getTime() ?? null
}
