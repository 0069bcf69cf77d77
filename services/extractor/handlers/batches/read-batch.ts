/**
 * Reads the URLs of a batch that have no result, a few at a time. A result is stored together with its bill, so a
 * killed process repeats at most the pages that it had begun, and bills none of them twice.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { hostOf } from '@tidemark/url/host'
import { forEachPerHost } from '@tidemark/url/host-lanes'
import type { BatchLeases, Result } from '../../adapters/batches/batch-leases.ts'
import { resultOf } from '../../adapters/batches/read-page.ts'
import {
  type BatchJob,
  heldPauseMs,
  isWornOut,
  maxBatchBytes,
  outageOf,
  type PendingUrl,
  pagesPerHost,
  pauseAfterOutage,
  unread,
} from '../../domain/batches/batch-job.ts'

/** Reads a page; null: other requests hold the last units. Rejects with a `Refusal` if it cannot be read now. */
export type ReadPage = (job: BatchJob, url: PendingUrl) => Promise<Result | null>

export type ReadBatchPorts = {
  leases: BatchLeases
  readPage: ReadPage
  /** Maximum number of concurrent pages. */
  concurrency: number
  /** Time after which no further page is begun if other batches are due. */
  sliceMs: number
  daysOf: (tier: BatchJob['terms']['tier']) => number | null
}

/**
 * Resolves when the batch is done or given back. Rejects with `LeaseLost`, with the reason of the signal, and with the
 * error of a result that could not be stored.
 */
export async function readBatch(ports: ReadBatchPorts, job: BatchJob, signal: AbortSignal): Promise<void> {
  const { leases, daysOf } = ports
  const pending = await leases.pending(job)
  const concurrency = Math.min(job.options.concurrency, ports.concurrency)
  // The batch was started too often without progress, so one of the pages that are begun first ends its process. These
  // pages are given up.
  const given = isWornOut(job) ? pending.splice(0, concurrency) : []
  for (const one of given) await leases.store(job, notRead(one, 'internal'))
  const { isComplete, isHeld } = await readAll({ ...ports, concurrency }, job, pending, signal)
  if (isComplete) await leases.done(job, daysOf(job.terms.tier))
  else await leases.giveBack(job, { pauseMs: isHeld ? heldPauseMs : 0, isFailure: false })
}

/**
 * Returns whether all URLs have a result, and whether a URL has none because other requests hold the units. When the
 * time slice is over, the pages that were begun are read to their end, except those that wait for units.
 */
async function readAll(
  { leases, readPage, concurrency, sliceMs }: ReadBatchPorts,
  job: BatchJob,
  pending: readonly PendingUrl[],
  signal: AbortSignal,
): Promise<{ isComplete: boolean; isHeld: boolean }> {
  const [failure, slice] = [new AbortController(), new AbortController()]
  const stopped = AbortSignal.any([signal, failure.signal])
  const sliceEnds = performance.now() + sliceMs
  let bytes = job.bytes
  let stored = 0
  let isHeld = false
  const isOver = async () => performance.now() > sliceEnds && (await leases.areOthersDue(job))
  const readNext = async (one: PendingUrl) => {
    const isFull = bytes > maxBatchBytes
    const result = isFull ? notRead(one, 'too_large') : await untilRead(readPage, job, one, stopped, isOver)
    stopped.throwIfAborted()
    if (result === null) {
      isHeld = true
      return slice.abort()
    }
    bytes = await leases.store(job, result)
    stored += 1
    if (await isOver()) slice.abort()
  }
  const lanes = { concurrency, perHost: pagesPerHost, signal: AbortSignal.any([stopped, slice.signal]) }
  const items = pending.map(one => ({ ...one, host: hostOf(one.url) }))
  await forEachPerHost(items, lanes, one => readNext(one).catch(error => failure.abort(error)))
  stopped.throwIfAborted()
  return { isComplete: stored === pending.length, isHeld }
}

/**
 * Reads a page. It waits for the end of an outage, and for units that other requests hold. Returns null if the units
 * are still held when the slice is over.
 */
async function untilRead(
  readPage: ReadPage,
  job: BatchJob,
  one: PendingUrl,
  signal: AbortSignal,
  isOver: () => Promise<boolean>,
): Promise<Result | null> {
  for (let outages = 0; ; ) {
    try {
      const result = await unlessAborted(readPage(job, one), signal)
      if (result !== null) return result
      if (await isOver()) return null
      await sleep(heldPauseMs, undefined, { signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Refusal)) throw error
      outages += outageOf(error.code)
      const pauseMs = pauseAfterOutage(outages)
      if (pauseMs === null) return notRead(one, 'unavailable')
      await sleep(pauseMs, undefined, { signal })
    }
  }
}

/** Rejects with the reason of the signal when it aborts, because a process that stops does not wait for its pages. */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  work.catch(() => {}) // it may end after the signal
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

const notRead = ({ number, url }: PendingUrl, reason: Parameters<typeof unread>[1]): Result =>
  resultOf(number, unread(url, reason), reason === 'too_large' ? 'refused' : 'failed')
