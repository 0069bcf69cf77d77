/** Accepts, reads and deletes exports for the gateway. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { Links } from '@tidemark/content/links'
import type { ExportAccepted, GetExport, RequestExport } from '@tidemark/contracts/rpc/exports'
import type { ForgetProject, ForgottenAnswer } from '@tidemark/contracts/rpc/forget'
import type { Exports, Limits } from '../../adapters/exports/exports.ts'
import { needsBodies } from '../../domain/exports/export-job.ts'

type Ports = {
  exports: Exports
  links: Pick<Links, 'keepsBodies'>
  limits: Limits
  trace: () => string | undefined
  /** Called after an event was written. */
  flush: () => void
}

/** Rejects with 409 and 429, as the contract states. */
export const requestExport =
  ({ exports, links, limits, trace, flush }: Ports) =>
  async (wanted: RequestExport): Promise<ExportAccepted> => {
    if (needsBodies(wanted.format, wanted.select) && !(await links.keepsBodies(wanted.runId)))
      throw notStored()
    const requested = await exports.request(wanted, trace())
    switch (requested.type) {
      case 'too_many':
        throw tooMany(limits)
      case 'too_many_today':
        throw tooManyToday(limits, new Date())
      case 'too_much':
        throw tooMuch(requested.keptBytes)
      case 'deleted':
        throw ofDeleted()
      case 'replayed':
        return { export: requested.view, replayed: true, sameRequest: requested.sameRequest }
      case 'created':
        flush()
        return { export: requested.view, replayed: false, sameRequest: true }
    }
  }

export const deleteExport =
  ({ exports, flush }: Pick<Ports, 'exports' | 'flush'>) =>
  async ({ projectId, exportId }: GetExport): Promise<{ deleted: boolean }> => {
    const deleted = await exports.remove(projectId, exportId)
    if (deleted) flush()
    return { deleted }
  }

const secondsOfDay = 86_400

/** Time of the caller for one answer, less some. */
const sweepMs = 50_000
const publishMs = 100

/** Removes all exports of a project with their parts. Rejects with `unavailable` if that takes longer: call it again. */
export const forgetExports =
  ({
    exports,
    flush,
    sweep,
  }: Pick<Ports, 'exports' | 'flush'> & { sweep: (signal: AbortSignal) => Promise<void> }) =>
  async ({ projectId }: ForgetProject): Promise<ForgottenAnswer> => {
    const forgotten = await exports.removeAll(projectId)
    flush()
    const signal = AbortSignal.timeout(sweepMs)
    for (;;) {
      await sweep(signal)
      if (signal.aborted) throw refuse('unavailable')
      // Rows stay until their events are published.
      if (!(await exports.isForgetting(projectId))) return { forgotten }
      await sleep(publishMs)
    }
  }

const notStored = (): Refusal =>
  refuse('conflict', {
    reason: 'html_not_stored',
    message:
      'This format needs the bodies of the pages, and the crawl was started with store_html: false. Choose sitemap, or jsonl and parquet without content, or crawl again.',
  })

const tooMany = ({ atOnce }: Limits): Refusal =>
  refuse('too_many_requests', {
    reason: 'exports',
    message: `This project has ${atOnce} unfinished exports, the maximum. Wait until one has ended, or delete one.`,
    retryAfterSeconds: 30,
  })

const tooManyToday = ({ perDay }: Limits, now: Date): Refusal =>
  refuse('too_many_requests', {
    reason: 'exports',
    message: `This project has requested ${perDay} exports today, the maximum of a day in UTC. Deleted ones count. Wait until the next day.`,
    retryAfterSeconds: secondsOfDay - (Math.floor(now.getTime() / 1000) % secondsOfDay),
  })

const tooMuch = (bytes: number): Refusal =>
  refuse('too_many_requests', {
    reason: 'export_bytes',
    message: `The files of this project take ${bytes} bytes, the maximum. Delete an export, or send it to S3.`,
  })

const ofDeleted = (): Refusal =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_export',
    message:
      'The export that this Idempotency-Key created was deleted. Use another key to create another one.',
  })
