/** The rules of batches of scans: the names of their pages in the ledger, their bounds, and items without a page. */
import type { BatchOptions } from '@tidemark/contracts/batches/events'
import type { BulkItem } from '@tidemark/contracts/http/scan'
import type { BatchTerms } from '@tidemark/contracts/rpc/batches'

/** A batch that a process works on. */
export type BatchJob = {
  id: number
  projectId: number
  terms: BatchTerms
  options: BatchOptions
  /** Identifies the process that works on it. */
  lease: string
  /** Starts of the batch since the last result was stored. */
  attempts: number
  /** Bytes of the stored results. */
  bytes: number
  trace: string | null
}

/** A URL without a result. `number` is its position in the request, from 0. */
export type PendingUrl = { number: number; url: string }

/**
 * Returns the name of the batch in the ledger. A page has the same name and number at every attempt, so it is billed
 * once.
 */
export const requestIdOf = ({ id }: Pick<BatchJob, 'id'>): string => `batch-${id}`
export const partOf = ({ number }: Pick<PendingUrl, 'number'>): number => number + 1

/**
 * The ids of batches begin above the ids of synchronous requests. Every process that continues a batch uses the same
 * id.
 */
const firstWorkId = 2 ** 47
export const workIdOf = ({ id }: Pick<BatchJob, 'id'>): number => -(firstWorkId + id)

/** Maximum number of concurrent requests to one host, as in a bulk scan. */
export const pagesPerHost = 4

/** Maximum bytes of all results of a batch, compressed. URLs beyond it are not requested. */
export const maxBatchBytes = 4 * 1024 ** 3

/** Maximum number of consecutive starts without a new result. More of them mean that a page itself ends its process. */
const maxAttempts = 20
export const isWornOut = ({ attempts }: Pick<BatchJob, 'attempts'>): boolean => attempts > maxAttempts

/** Consecutive outages of one page. Their pauses take about 18 minutes together. */
const maxOutages = 12
const firstPauseMs = 1_000
const maxPauseMs = 180_000

/** Returns the number of outages that a refusal counts as. An error of the service itself rarely ends by waiting. */
export const outageOf = (code: string): number => (code === 'unavailable' ? 1 : 4)

/** Returns the pause before the page is tried again in ms; null: there is no further try. */
export const pauseAfterOutage = (outages: number): number | null =>
  outages > maxOutages ? null : Math.min(firstPauseMs * 2 ** (outages - 1), maxPauseMs)

/** Milliseconds before a page is tried again because other requests hold the units that it needs. */
export const heldPauseMs = 5_000

/** Returns the item of a page that was given up without a bill. */
export const unread = (url: string, reason: keyof typeof errors): BulkItem => ({
  url,
  ok: false,
  error: errors[reason],
  reason,
})

const errors = {
  internal: 'fetch failed: this page ended its process repeatedly; send it in another batch later',
  unavailable: 'fetch failed: a part of the service was unavailable for too long; send this URL again later',
  too_large: 'fetch failed: the batch has no capacity left for this page; send fewer URLs in one batch',
}
