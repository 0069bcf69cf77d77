/** Part of the wiring: batches of scans, the requests for them, and the removal of ended ones. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import { serve } from '@tidemark/bus/rpc'
import { currentTraceparent } from '@tidemark/bus/trace'
import { WakeUp } from '@tidemark/bus/wake-up'
import { retentionOf } from '@tidemark/config/retention'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import * as forgetRpc from '@tidemark/contracts/rpc/forget'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { batchLeasesIn } from '../adapters/batches/batch-leases.ts'
import { batchesIn } from '../adapters/batches/batches.ts'
import { pagesBy } from '../adapters/batches/read-page.ts'
import { type PurgeBatch, sweepBatches } from '../adapters/batches/sweep-batches.ts'
import type { BatchJob } from '../domain/batches/batch-job.ts'
import { readBatch } from '../handlers/batches/read-batch.ts'
import { cancelBatch, deleteBatch, requestBatch } from '../handlers/batches/request-batch.ts'
import { forgetJobs } from '../handlers/jobs/project-jobs.ts'
import { readBatches } from '../policies/read-batches.ts'
import type { Settings } from '../settings.ts'
import type { ExtractorParts } from './parts.ts'

type Parts = Pick<ExtractorParts, 'settings' | 'bus' | 'db' | 'signal' | 'report'> & {
  /** Lets the relay publish the outbox, without waiting. */
  flush: () => void
}

/** Resolves when the signal has aborted and nothing is in progress. */
export async function runBatches(parts: Parts): Promise<void> {
  const wakeUp = new WakeUp()
  await Promise.all([readAll(parts, wakeUp), serveRequests(parts, wakeUp), sweepAll(parts)])
}

const daysBy = (settings: Settings) => {
  const retention = retentionOf(settings)
  return (tier: BatchJob['terms']['tier']) => retention[tier]
}

function readAll({ settings, bus, db, flush, signal, report }: Parts, wakeUp: WakeUp): Promise<void> {
  const leaseSeconds = settings.BATCH_LEASE_SECONDS
  const leases = batchLeasesIn(db, leaseSeconds)
  const reading = {
    ...{ leases, readPage: pagesBy(bus), concurrency: settings.BATCH_CONCURRENCY },
    ...{ sliceMs: settings.BATCH_TURN_SECONDS * 1000, daysOf: daysBy(settings) },
  }
  const read = (job: BatchJob, held: AbortSignal) => readBatch(reading, job, held)
  return readBatches({
    ...{ bus, leases, read, flush, wakeUp, atOnce: settings.BATCHES_AT_ONCE, leaseSeconds, signal, report },
  })
}

async function serveRequests(
  { settings, bus, db, flush, signal, report }: Parts,
  wakeUp: WakeUp,
): Promise<void> {
  const limits = { atOnce: settings.BATCHES_PER_PROJECT, perDay: settings.BATCHES_PER_DAY }
  const batches = batchesIn(db, limits, daysBy(settings))
  const serving = { signal, report }
  const sweep = (signal: AbortSignal) => sweepBatches(db, sweepingBy(settings, bus), signal)
  const requested = () => {
    flush()
    wakeUp.call()
  }
  const request = requestBatch({ batches, limits, trace: currentTraceparent, flush: requested })
  await Promise.all([
    serve(bus, batchesRpc.requestBatch, request, serving),
    serve(bus, batchesRpc.cancelBatch, cancelBatch({ batches, flush }), serving),
    serve(bus, batchesRpc.deleteBatch, deleteBatch({ batches, flush }), serving),
    serve(bus, forgetRpc.forgetBatches, forgetJobs({ jobs: batches, flush, sweep }), serving),
  ])
}

function sweepAll({ settings, bus, db, signal, report }: Parts): Promise<void> {
  const round = () => sweepBatches(db, sweepingBy(settings, bus), signal)
  const pauseMs = settings.BATCH_SWEEP_SECONDS * 1000
  return repeat(round, { name: 'the sweep of batches', bus, isSpare: true, pauseMs, signal, report })
}

const sweepingBy = (settings: Settings, bus: Bus) => ({
  purge: purgeEvents(bus),
  retention: retentionOf(settings),
})

/** The last event stays: the webhook service may not have read it. */
const purgeEvents =
  ({ jsm }: Bus): PurgeBatch =>
  async batchId => {
    await jsm.streams.purge(streams.batches, { filter: subjects.batch(batchId), keep: 1 })
    await jsm.streams.purge(streams.batches, { filter: subjects.batchWebhook(batchId) })
  }
