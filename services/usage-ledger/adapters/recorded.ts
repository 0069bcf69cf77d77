/** Waits until all requests that were served until now are billed and counted in the ledger. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import { type CheckpointKey, readCheckpoint } from '@tidemark/db/checkpoint'
import type { Pool } from 'pg'

const usualPollMs = 500

export type Readers = {
  bus: Bus
  pool: Pool
  /** Readers in the order of the data flow: each writes to the stream of the next. */
  readers: readonly (CheckpointKey & { filter: string })[]
  signal: AbortSignal
  /** Milliseconds between two checks; half a second by default. */
  pollEveryMs?: number
}

/**
 * Waits for each reader in turn, until it has reached the end that its stream had when this wait began. Resolves with
 * false if the signal aborts before. Rejects when bus or database is unavailable.
 */
export async function untilRecorded({
  bus,
  pool,
  readers,
  signal,
  pollEveryMs = usualPollMs,
}: Readers): Promise<boolean> {
  for (const reader of readers) {
    const end = await storedMessage(bus, reader.stream, { last_by_subj: '>' })
    if ((await readCheckpoint(pool, reader)) >= (end?.seq ?? 0)) continue
    // A stream may end with the sequences of deleted messages, for example after a restore. No reader reaches them.
    const last = await storedMessage(bus, reader.stream, { last_by_subj: reader.filter })
    while ((await readCheckpoint(pool, reader)) < (last?.seq ?? 0)) {
      if (signal.aborted) return false
      await sleep(pollEveryMs, undefined, { signal }).catch(() => {})
    }
  }
  return !signal.aborted
}
