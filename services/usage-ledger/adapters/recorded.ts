/** Whether all that was served until now is billed and in the ledger, where it is counted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '@tidemark/bus/connection'
import { storedMessage } from '@tidemark/bus/stored'
import { type CheckpointKey, readCheckpoint } from '@tidemark/db/checkpoint'
import type { Pool } from 'pg'

const betweenLooksMs = 500

export type Readers = {
  bus: Bus
  pool: Pool
  /** In the order in which a fact goes through them: each writes to the stream of the next. */
  readers: readonly CheckpointKey[]
  signal: AbortSignal
}

/**
 * Resolves when each reader in turn has come to where its stream ended when it was its turn; false when the signal
 * aborts before. Throws when bus or database is away.
 */
export async function untilRecorded({ bus, pool, readers, signal }: Readers): Promise<boolean> {
  for (const reader of readers) {
    // Behind the last message there may be places of some that were taken out, as by a restore: nobody comes to those.
    const last = await storedMessage(bus, reader.stream, { last_by_subj: '>' })
    while ((await readCheckpoint(pool, reader)) < (last?.seq ?? 0)) {
      if (signal.aborted) return false
      await sleep(betweenLooksMs, undefined, { signal }).catch(() => {})
    }
  }
  return !signal.aborted
}
