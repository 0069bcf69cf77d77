/**
 * Turns a stream into rows: reads it in order, and writes each batch and the checkpoint in one transaction.
 * Whatever fails is tried again from the checkpoint, so rows come out as if nothing had failed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage, StreamWentBackwards } from '@tidemark/bus/read'
import { withBatchSpan } from '@tidemark/bus/trace'
import type { Pool, PoolClient } from 'pg'
import { moveCheckpoint, readCheckpoint } from './checkpoint.ts'
import { inTransaction } from './transaction.ts'

export type Projection = {
  bus: Bus
  pool: Pool
  /** Whose table `checkpoint` is used. */
  schema: string
  name: string
  /** Partitions of one projection advance apart; each reads what its filter lets through. */
  partition: string
  stream: string
  filter?: string | string[]
  /** Writes the rows for a batch, in the given transaction and nowhere else. */
  apply(client: PoolClient, messages: StreamMessage[]): Promise<void>
  /** Told after each commit how far the partition has come. */
  onCommitted?(sequence: number): void
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Why a projection ended: it was told to, or its stream is not the one that it has read before. */
export type ProjectionEnd = 'stopped' | 'stream-went-backwards'

/** Another projector of the same partition was faster. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

const longestWaitMs = 2_000

/** Runs until the signal aborts, or until the stream turns out to have lost what was projected already. */
export async function runProjection(projection: Projection): Promise<ProjectionEnd> {
  const { signal, report } = projection
  for (let failures = 0; !signal.aborted; ) {
    try {
      await follow(projection, () => {
        failures = 0
      })
    } catch (error) {
      if (error instanceof StreamWentBackwards) {
        report(error)
        return 'stream-went-backwards'
      }
      if (!(error instanceof Overtaken)) report(error)
      const waitMs = Math.min(50 * 2 ** failures++, longestWaitMs)
      await sleep(waitMs, undefined, { signal }).catch(() => {})
    }
  }
  return 'stopped'
}

async function follow(projection: Projection, succeeded: () => void): Promise<void> {
  const { bus, pool, schema, name, partition, stream, filter, signal, report } = projection
  const key = { schema, projection: name, partition, stream }
  let at = await readCheckpoint(pool, key)
  const reading = { stream, from: at + 1, signal, report, ...(filter !== undefined && { filter }) }

  await readStream(bus, reading, async messages => {
    const last = messages.at(-1)?.sequence ?? at
    await withBatchSpan(`${name} project`, stream, messages, () =>
      inTransaction(pool, async client => {
        // First, because the row's lock keeps a second projector of this partition waiting instead of working.
        if (!(await moveCheckpoint(client, key, at, last)))
          throw new Overtaken(`${name} is no longer at ${at}`)
        await projection.apply(client, messages)
      }),
    )
    at = last
    succeeded()
    projection.onCommitted?.(last)
  })
}
