/** Starts the cleanup of ended runs, which one instance does at a time. */

import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { retentionOf } from '@tidemark/config/retention'
import { openArchives } from '@tidemark/content/archive'
import * as runsRpc from '@tidemark/contracts/rpc/runs'
import { type RunsReader, runsReaders } from '@tidemark/contracts/subjects'
import { archivable } from '../adapters/archivable.ts'
import { deletions } from '../adapters/deletions.ts'
import { expirable } from '../adapters/expirable.ts'
import { keys } from '../adapters/keys.ts'
import { retainedBy } from '../adapters/retained.ts'
import { runStream } from '../adapters/run-stream.ts'
import { secondsIn } from '../domain/duration.ts'
import type { Retention } from '../domain/retention.ts'
import type { deleteRun } from '../handlers/end-run.ts'
import { cleanUpEndedRuns } from '../policies/clean-up-ended-runs.ts'
import { expiring } from '../policies/expire-runs.ts'
import type { CoordinatorParts } from './parts.ts'

/** Cleans up until the signal aborts. Resolves when no work is in progress. */
export function startSweeping(parts: CoordinatorParts, remove: ReturnType<typeof deleteRun>): Promise<void> {
  const { bus, db, stream, settings, report } = parts
  const retention: Retention = retentionOf(settings)
  return cleanUpEndedRuns({
    ...parts,
    deletions: deletions(db.pool),
    archivable: archivable(db.pool),
    keys: keys(db.pool),
    archives: openArchives(db.pool),
    stream: runStream(bus),
    async reached() {
      const byReaders = await reachedByAll(bus, runsReaders)
      return byReaders === null ? null : Math.min(byReaders, await stream.recorded())
    },
    archiveAfter: secondsIn(settings.ARCHIVE_AFTER),
    expiring: expiring({
      ...retainedBy(bus),
      expirable: expirable(db.pool),
      retention,
      remove,
      now: Date.now,
      report,
    }),
  })
}

const responseMs = 2_000

/**
 * Returns the sequence of RUNS that all these readers have processed; null while one of them does not respond, because
 * events that it has not read must stay.
 */
async function reachedByAll(bus: Bus, readers: readonly RunsReader[]): Promise<number | null> {
  const requests = readers.map(reader => call(bus, runsRpc.reached[reader], null, { timeoutMs: responseMs }))
  const responses = await Promise.allSettled(requests)
  const sequences = responses.flatMap(answer =>
    answer.status === 'fulfilled' ? [answer.value.sequence] : [],
  )
  return sequences.length === readers.length ? Math.min(...sequences) : null
}
