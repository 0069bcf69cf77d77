/**
 * Takes due exports and writes them, a few at a time. The lease is renewed while a process works on an export; when the
 * process dies, another one takes it over. Outages are retried. A final fault ends the export with its reason.
 */
import { failHere, withWorkSpan } from '@tidemark/bus/trace'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import { counter } from '@tidemark/telemetry/metrics'
import type { Leases } from '../adapters/exports/leases.ts'
import { LeaseLost } from '../adapters/lease-lost.ts'
import {
  ExportFault,
  type ExportJob,
  isWornOut,
  Postponed,
  pauseAfter,
  TimeSliceOver,
} from '../domain/exports/export-job.ts'
import { type JobPorts, takeDueJobs } from './take-due-jobs.ts'
import { whileHeld } from './while-held.ts'

export type ExportPorts = JobPorts & {
  leases: Leases
  /**
   * Writes the export to its sink. Rejects with `ExportFault`, `LeaseLost`, `TimeSliceOver`, `Postponed`, and with the
   * reason of the signal.
   */
  write: (job: ExportJob, signal: AbortSignal) => Promise<void>
  /** Called after an event was written. */
  flush: () => void
  leaseSeconds: number
}

/** Resolves when the signal has aborted and the held leases are released. */
export const writeExports = (ports: ExportPorts): Promise<void> =>
  takeDueJobs({
    ...ports,
    name: 'the writing of exports',
    take: ports.leases.take,
    carryOut: job => traced(ports, job),
  })

const ended = counter('tidemark.exports')

const traced = (ports: ExportPorts, job: ExportJob): Promise<void> =>
  withWorkSpan(
    spanNames.writeExport,
    { service: 'extractor', trace: job.trace },
    { [spanAttributes.exportId]: job.id, [spanAttributes.runId]: job.runId },
    () => carryOut(ports, job),
  )

async function carryOut(ports: ExportPorts, job: ExportJob): Promise<void> {
  const { leases, flush, report, signal } = ports
  try {
    if (isWornOut(job)) throw wornOut()
    await whileHeld({ ...ports, renew: () => leases.renew(job) }, held => ports.write(job, held))
    ended(1, { result: 'done' })
  } catch (error) {
    if (error instanceof LeaseLost) return
    const isPostponed = error instanceof Postponed
    const isGivenBack = signal.aborted || isPostponed || error instanceof TimeSliceOver
    if (!isGivenBack) {
      failHere(error)
      if (!(error instanceof ExportFault)) report(error)
    }
    const settled = isGivenBack
      ? leases.later(job, isPostponed ? error.pauseMs : 0, false)
      : settle(ports, job, error)
    await settled.catch(reason => {
      if (!(reason instanceof LeaseLost)) report(reason)
    })
  } finally {
    flush()
  }
}

/** Ends the export with its reason, or leaves it for a later try. */
async function settle({ leases }: ExportPorts, job: ExportJob, error: unknown): Promise<void> {
  const isFault = error instanceof ExportFault
  const pauseMs = isFault && error.isFinal ? null : pauseAfter((await leases.failures(job)) + 1)
  if (pauseMs !== null) return leases.later(job, pauseMs, true)
  ended(1, { result: 'failed' })
  const { reason, message } = isFault ? error : internalError
  await leases.fail(job, reason, message)
}

const internalError = {
  reason: 'internal',
  message: 'The export failed repeatedly by an internal error. It is logged. Request it again later.',
}

const wornOut = () =>
  new ExportFault(
    'internal',
    'The export ended its process repeatedly. Select fewer pages, or another format.',
  )
