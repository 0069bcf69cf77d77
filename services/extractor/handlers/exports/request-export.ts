/** Accepts, reads and deletes exports for the gateway. */
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { Links } from '@tidemark/content/links'
import type { ExportAccepted, GetExport, RequestExport } from '@tidemark/contracts/rpc/exports'
import type { Exports, Limits } from '../../adapters/exports/exports.ts'
import { needsBodies } from '../../domain/exports/export-job.ts'
import { type JobKind, tooManyJobs, tooManyJobsToday } from '../jobs/project-jobs.ts'

type Ports = {
  exports: Exports
  links: Pick<Links, 'keepsBodies'>
  limits: Limits
  trace: () => string | undefined
  /** Called after an event was written. */
  flush: () => void
}

const exportJobs: JobKind = { plural: 'exports', end: 'delete' }

/** Rejects with 409 and 429, as the contract states. */
export const requestExport =
  ({ exports, links, limits, trace, flush }: Ports) =>
  async (wanted: RequestExport): Promise<ExportAccepted> => {
    if (needsBodies(wanted.format, wanted.select) && !(await links.keepsBodies(wanted.runId)))
      throw notStored()
    const requested = await exports.request(wanted, trace())
    switch (requested.type) {
      case 'too_many':
        throw tooManyJobs(exportJobs, limits.atOnce)
      case 'too_many_today':
        throw tooManyJobsToday(exportJobs, limits.perDay, new Date())
      case 'too_much':
        throw tooMuch(requested)
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

const notStored = (): Refusal =>
  refuse('conflict', {
    reason: 'html_not_stored',
    message:
      'This format needs the bodies of the pages, and the crawl was started with store_html: false. Choose sitemap, or jsonl and parquet without content, or crawl again.',
  })

const tooMuch = ({ keptBytes, maxBytes }: { keptBytes: number; maxBytes: number }): Refusal =>
  refuse('too_many_requests', {
    reason: 'export_bytes',
    message: `The exports of this project take ${keptBytes} of ${maxBytes} bytes. Unfinished ones count. Delete an export, or send it to S3.`,
  })

const ofDeleted = (): Refusal =>
  refuse('conflict', {
    reason: 'idempotency_key_of_deleted_export',
    message:
      'The export that this Idempotency-Key created was deleted. Use another key to create another one.',
  })
