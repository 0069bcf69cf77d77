/** Requests about batches to the extractor, which owns them, and reads of their rows. Every request throws its `Refusal`. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import { type BatchResult, countReady, findBatch, listBatches, readResults } from '@tidemark/content/batches'
import type { BatchAccepted, RequestBatch, StoredBatch } from '@tidemark/contracts/rpc/batches'
import * as batchesRpc from '@tidemark/contracts/rpc/batches'
import type { OfProject } from '@tidemark/db/of-project'

export type Batches = {
  request(wanted: RequestBatch): Promise<BatchAccepted>
  /** Returns null if the project has no such batch, like `cancel`. */
  find(projectId: number, batchId: number): Promise<StoredBatch | null>
  list(
    projectId: number,
    window: { limit: number; offset: number; before?: number | undefined },
  ): Promise<StoredBatch[]>
  cancel(projectId: number, batchId: number): Promise<StoredBatch | null>
  remove(projectId: number, batchId: number): Promise<boolean>
  /** Returns the number of results before the first URL without one. */
  countReady(projectId: number, batchId: number): Promise<number>
  results(projectId: number, batchId: number, range: { from: number; to: number }): AsyncIterable<BatchResult>
}

export function openBatches(bus: Bus, reads: OfProject): Batches {
  const limit = { timeoutMs: 10_000 }
  return {
    request: wanted => call(bus, batchesRpc.requestBatch, wanted, limit),
    find: (projectId, batchId) => findBatch(reads(projectId), projectId, batchId),
    list: (projectId, window) => listBatches(reads(projectId), projectId, window),
    cancel: async (projectId, batchId) =>
      (await call(bus, batchesRpc.cancelBatch, { projectId, batchId }, limit)).batch,
    remove: async (projectId, batchId) =>
      (await call(bus, batchesRpc.deleteBatch, { projectId, batchId }, limit)).deleted,
    countReady: (projectId, batchId) => countReady(reads(projectId), batchId),
    results: (projectId, batchId, range) => readResults(reads(projectId), batchId, range),
  }
}
