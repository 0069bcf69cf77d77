/** Requests one page of a batch from the gateway, which reads it as a scan. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { compress } from '@tidemark/content/zstd'
import type { BulkItem } from '@tidemark/contracts/http/scan'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import {
  type BatchJob,
  type PendingUrl,
  partOf,
  requestIdOf,
  workIdOf,
} from '../../domain/batches/batch-job.ts'
import type { Result } from './batch-leases.ts'

/** Milliseconds. The gateway takes less for the reservation, a stored page and a fetched page together. */
const pageMs = 75_000

/** Returns null while other requests hold the last units. Rejects with a `Refusal` if the page cannot be read now. */
export const pagesBy =
  (bus: Bus) =>
  async (job: BatchJob, { number, url }: PendingUrl): Promise<Result | null> => {
    const { projectId, terms, options } = job
    const request = {
      ...{ projectId, terms, options, url, requestId: requestIdOf(job), part: partOf({ number }) },
      workId: workIdOf(job),
    }
    const { header, blobs } = await call(bus, batchesRpc.readBatchPage, request, { timeoutMs: pageMs })
    const [item] = blobs
    if (header === null || item === undefined) return null
    // A view of the whole message would keep it in memory.
    return { number, state: header.ending, item: Uint8Array.from(item), bill: header.bill }
  }

/** Returns the result of a page that costs nothing. */
export const resultOf = (number: number, item: BulkItem, state: Result['state']): Result => ({
  number,
  state,
  item: compress(Buffer.from(JSON.stringify(item))),
  bill: null,
})
