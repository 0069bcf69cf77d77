/** Defines the rows of exports (the jobs with their results), their views, and their events for the outbox. */
import { encodeJson } from '@tidemark/bus/codec'
import type { ExportCommit, ExportEvent } from '@tidemark/contracts/exports/events'
import type { ExportView } from '@tidemark/contracts/http/exports'
import type { StoredView } from '@tidemark/contracts/rpc/exports'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import type { Embedded } from '../../domain/exports/embedding-bill.ts'
import { type ExportJob, fileOf } from '../../domain/exports/export-job.ts'

const schema = 'content'

/** A `deleted` export is invisible to clients. It exists until its parts and its upload are removed. */
export type State = ExportView['status'] | 'deleted'

/** SQL condition: the file of the export is stored in Postgres. It may have expired. */
export const isKeptFile = `state = 'done' and sink ->> 'type' = 'download'`

/** SQL condition: the run of the export was deleted. */
export const isOfDeletedRun = 'exists (select from content.deletion where deletion.run_id = export.run_id)'

const columnsWith = (
  state: string,
) => `id, project_id as "projectId", run_id as "runId", format, selection as "select", sink, credentials,
  fingerprint, trace, created_at as "createdAt", ${state} as state, coalesce(lease::text, '') as lease, attempts, upload,
  ended_at as "endedAt", expires_at as "expiresAt", bytes, sha256, records, reason, message, embeddings,
  jsonb_build_object('fileBytes', file_cap, 'keptBytes', kept_cap) as caps`

/** The columns of `ExportRow`. */
export const columns = columnsWith('state')

/**
 * The columns of `ExportRow` for a view: a file that has expired, or whose run was deleted, is `expired` even before
 * the sweep removes it.
 */
export const viewColumns = columnsWith(
  `case when ${isKeptFile} and (expires_at <= now() or ${isOfDeletedRun}) then 'expired' else state end`,
)

export type ExportRow = ExportJob & {
  fingerprint: string
  createdAt: Date
  state: State
  endedAt: Date | null
  expiresAt: Date | null
  bytes: number | null
  sha256: string | null
  records: number | null
  reason: string | null
  message: string | null
}

export function viewOf(row: ExportRow): StoredView {
  const { state, reason, message, sink, embeddings } = row
  const isDone = state === 'done'
  return {
    id: row.id,
    run_id: row.runId,
    format: row.format,
    select: row.select,
    sink: sink.type === 's3' ? { ...sink, key: sink.key ?? fileOf(row).name } : sink,
    status: state === 'deleted' ? 'expired' : state,
    created_at: row.createdAt.toISOString(),
    finished_at: row.endedAt?.toISOString() ?? null,
    expires_at: isDone ? (row.expiresAt?.toISOString() ?? null) : null,
    records: row.records,
    bytes: row.bytes,
    sha256: row.sha256,
    ...(embeddings && { embeddings: shownOf(embeddings) }),
    error: reason === null ? null : { reason, message: message ?? '' },
  }
}

const shownOf = ({ calls: _, ...shown }: Embedded) => shown

/** SQL assignment: deletes the credentials, unless they are needed to abort an open upload. */
export const withoutCredentials = 'credentials = case when upload is not null then credentials end'

/** Stores an event of each export in the outbox. The relay publishes them. */
export async function enqueueEvents(
  client: PoolClient,
  exportIds: readonly number[],
  event: ExportEvent,
  trace?: string,
): Promise<void> {
  const commit: ExportCommit = {
    at: new Date().toISOString(),
    ...(trace !== undefined && { trace }),
    events: [event],
  }
  const payload = encodeJson(commit)
  await enqueueAll(
    client,
    schema,
    exportIds.map(id => ({ subject: subjects.export(id), payload })),
  )
}
