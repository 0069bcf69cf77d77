/** Accepts, cancels and deletes batches of scans for the gateway. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { BatchAccepted, OfBatch, RequestBatch, StoredBatch } from '@tidemark/contracts/rpc/batches'
import type { ForgetProject, ForgottenAnswer } from '@tidemark/contracts/rpc/forget'
import type { Batches, Limits } from '../../adapters/batches/batches.ts'

type Ports = {
  batches: Batches
  limits: Limits
  trace: () => string | undefined
  /** Called after an event was written. */
  flush: () => void
}

/** Rejects with 409 and 429, as the contract states. */
export const requestBatch =
  ({ batches, limits, trace, flush }: Ports) =>
  async (wanted: RequestBatch): Promise<BatchAccepted> => {
    const requested = await batches.request(wanted, trace())
    switch (requested.type) {
      case 'too_many':
        throw tooMany(limits)
      case 'too_many_today':
        throw tooManyToday(limits, new Date())
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

/** Time of the caller for one answer, less some. */
const sweepMs = 50_000
const publishMs = 100

/** Removes all batches of a project. Rejects with `unavailable` if that takes longer: call it again. */
export const forgetBatches =
  ({
    batches,
    flush,
    sweep,
  }: Pick<Ports, 'batches' | 'flush'> & { sweep: (signal: AbortSignal) => Promise<void> }) =>
  async ({ projectId }: ForgetProject): Promise<ForgottenAnswer> => {
    const forgotten = await batches.removeAll(projectId)
    flush()
    const signal = AbortSignal.timeout(sweepMs)
    for (;;) {
      await sweep(signal)
      if (signal.aborted) throw refuse('unavailable')
      // Rows stay until their events are published.
      if (!(await batches.isForgetting(projectId))) return { forgotten }
      await sleep(publishMs)
    }
  }

const secondsOfDay = 86_400

const tooMany = ({ atOnce }: Limits): Refusal =>
  refuse('too_many_requests', {
    reason: 'batches',
    message: `This project has ${atOnce} unfinished batches, the maximum. Wait until one has ended, or cancel one.`,
    retryAfterSeconds: 30,
  })

const tooManyToday = ({ perDay }: Limits, now: Date): Refusal =>
  refuse('too_many_requests', {
    reason: 'batches',
    message: `This project has requested ${perDay} batches today, the maximum of a day in UTC. Deleted ones count. Wait until the next day.`,
    retryAfterSeconds: secondsOfDay - (Math.floor(now.getTime() / 1000) % secondsOfDay),
  })

const ofDeleted = (): Refusal =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_batch',
    message:
      'The batch that this Idempotency-Key created was deleted. Use another key to create another one.',
  })
