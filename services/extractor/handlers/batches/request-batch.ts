/** Accepts, cancels and deletes batches of scans for the gateway. */
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { BatchAccepted, OfBatch, RequestBatch, StoredBatch } from '@tidemark/contracts/rpc/batches'
import type { Batches } from '../../adapters/batches/batches.ts'
import type { JobLimits } from '../../adapters/jobs.ts'
import { type JobKind, tooManyJobs, tooManyJobsToday } from '../jobs/project-jobs.ts'

type Ports = {
  batches: Batches
  limits: JobLimits
  trace: () => string | undefined
  /** Publishes the events in the outbox, without waiting. */
  flush: () => void
}

const batchJobs: JobKind = { plural: 'batches', end: 'cancel' }

/** Rejects with 409 and 429, as the contract states. */
export const requestBatch =
  ({ batches, limits, trace, flush }: Ports) =>
  async (wanted: RequestBatch): Promise<BatchAccepted> => {
    const requested = await batches.request(wanted, trace())
    switch (requested.type) {
      case 'too_many':
        throw tooManyJobs(batchJobs, limits.atOnce)
      case 'too_many_today':
        throw tooManyJobsToday(batchJobs, limits.perDay, new Date())
      case 'deleted':
        throw ofDeleted()
      case 'refused':
        throw new Refusal(wanted.refusal as NonNullable<RequestBatch['refusal']>)
      case 'replayed':
        return { batch: requested.batch, replayed: true, sameRequest: requested.sameRequest }
      case 'created':
        flush()
        return { batch: requested.batch, replayed: false, sameRequest: true }
    }
  }

export const cancelBatch =
  ({ batches, flush }: Pick<Ports, 'batches' | 'flush'>) =>
  async ({ projectId, batchId }: OfBatch): Promise<{ batch: StoredBatch | null }> => {
    const batch = await batches.cancel(projectId, batchId)
    flush()
    return { batch }
  }

export const deleteBatch =
  ({ batches, flush }: Pick<Ports, 'batches' | 'flush'>) =>
  async ({ projectId, batchId }: OfBatch): Promise<{ deleted: boolean }> => {
    const deleted = await batches.remove(projectId, batchId)
    if (deleted) flush()
    return { deleted }
  }

const ofDeleted = (): Refusal =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_batch',
    message:
      'The batch that this Idempotency-Key created was deleted. Use another key to create another one.',
  })
