/** Aborts the uploads that ended exports have left open at the buckets of customers. */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import { ExportFault, type ExportJob } from '../domain/exports/export-job.ts'

type AbortPorts = {
  bus: Pick<Bus, 'nc'>
  /** Returns the export whose upload is due, or null. The upload is due again later. */
  next: () => Promise<ExportJob | null>
  /** Aborts the upload at the bucket. Rejects with `ExportFault`. */
  abort: (job: ExportJob) => Promise<void>
  /** Records that the upload is aborted. */
  close: (exportId: number) => Promise<void>
  signal: AbortSignal
  report: (error: unknown) => void
}

const pollIntervalMs = 2_000
/** Uploads of one round, which then takes minutes at most. */
const atOnce = 20

/** Resolves when the signal has aborted. One bucket that fails delays no other. */
export async function abortUploads({ bus, next, abort, close, signal, report }: AbortPorts): Promise<void> {
  const round = async () => {
    for (let n = 0; n < atOnce && !signal.aborted; n++) {
      const job = await next()
      if (job === null) return 'done'
      try {
        await abort(job)
      } catch (error) {
        // A failure of the bucket is not reported, because the bucket belongs to the customer. The abort is tried again
        // later.
        if (!(error instanceof ExportFault)) report(error)
        continue
      }
      await close(job.id)
    }
    return 'more'
  }
  const name = 'the abort of open uploads'
  await repeat(round, { name, bus, isSpare: true, pauseMs: pollIntervalMs, signal, report })
}
