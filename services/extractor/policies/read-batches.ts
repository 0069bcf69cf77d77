/**
 * Takes due batches of scans and reads their pages, a few batches at a time. When a process dies, another one takes its
 * batches over after the lease, and continues after the stored results.
 */
import { failHere, withWorkSpan } from '@tidemark/bus/trace'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { BatchLeases } from '../adapters/batches/batch-leases.ts'
import { LeaseLost } from '../adapters/lease-lost.ts'
import type { BatchJob } from '../domain/batches/batch-job.ts'
import { type JobPorts, takeDueJobs } from './take-due-jobs.ts'
import { whileHeld } from './while-held.ts'

export type BatchPorts = JobPorts & {
  leases: BatchLeases
  /** Reads the pages without a result. Rejects with `LeaseLost`, with the reason of the signal, and with outages. */
  read: (job: BatchJob, signal: AbortSignal) => Promise<void>
  /** Called after events were written. */
  flush: () => void
  leaseSeconds: number
}

const failurePauseMs = 5_000

/** Resolves when the signal has aborted and the held leases are released. */
export const readBatches = (ports: BatchPorts): Promise<void> =>
  takeDueJobs({
    ...ports,
    name: 'the reading of batches',
    take: ports.leases.take,
    carryOut: job => traced(ports, job),
  })

const traced = (ports: BatchPorts, job: BatchJob): Promise<void> =>
  withWorkSpan(
    spanNames.readBatch,
    { service: 'extractor', trace: job.trace },
    { [spanAttributes.batchId]: job.id },
    () => carryOut(ports, job),
  )

async function carryOut(ports: BatchPorts, job: BatchJob): Promise<void> {
  const { leases, leaseSeconds, read, flush, report, signal } = ports
  try {
    const renew = () => leases.renew(job)
    await whileHeld({ renew, leaseSeconds, signal }, held => read(job, held))
  } catch (error) {
    if (error instanceof LeaseLost) return
    const isFailure = !signal.aborted
    if (isFailure) {
      failHere(error)
      report(error)
    }
    const settled = leases.giveBack(job, { pauseMs: isFailure ? failurePauseMs : 0, isFailure })
    await settled.catch(reason => {
      if (!(reason instanceof LeaseLost)) report(reason)
    })
  } finally {
    flush()
  }
}
