/** Exports as rows: read into views and jobs, and their events for the outbox. */
import { encodeJson } from '@tidemark/bus/codec'
import type { ExportCommit, ExportEvent } from '@tidemark/contracts/exports/events'
import type { ExportSink } from '@tidemark/contracts/http/export-sink'
import type { ExportSelection, ExportView } from '@tidemark/contracts/http/exports'
import type { StoredView } from '@tidemark/contracts/rpc/exports'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueueAll } from '@tidemark/db/outbox'
import type { FormatName } from '@tidemark/export/format'
import type { PoolClient } from 'pg'
import type { Embedded } from '../../domain/exports/embedding-bill.ts'
import { type ExportJob, fileOf } from '../../domain/exports/export-job.ts'

const schema = 'content'

/** `deleted` exports exist for no client, until their parts and their upload are removed. */
export type State = ExportView['status'] | 'deleted'

/** The columns of `ExportRow`. */
export const columns = `id, project_id, run_id, format, selection, sink, credentials, fingerprint, trace, created_at, state,
  lease, attempts, upload, ended_at, expires_at, bytes, sha256, records, reason, message,
  embeddings, file_cap, kept_cap`

export type ExportRow = {
  id: number
  project_id: number
  run_id: number
  format: FormatName
  selection: ExportSelection
  sink: ExportSink
  credentials: string | null
  fingerprint: string
  trace: string | null
  created_at: Date
  state: State
  lease: string | null
  attempts: number
  upload: string | null
  ended_at: Date | null
  expires_at: Date | null
  bytes: number | null
  sha256: string | null
  records: number | null
  reason: string | null
  message: string | null
  embeddings: Embedded | null
  file_cap: number | null
  kept_cap: number | null
}

export function viewOf(row: ExportRow): StoredView {
  const { state, reason, message, sink, embeddings } = row
  const isDone = state === 'done'
  return {
    id: row.id,
    run_id: row.run_id,
    format: row.format,
    select: row.selection,
    sink: sink.type === 's3' ? { ...sink, key: sink.key ?? fileOf(jobOf(row)).name } : sink,
    status: state === 'deleted' ? 'expired' : state,
    created_at: row.created_at.toISOString(),
    finished_at: row.ended_at?.toISOString() ?? null,
    expires_at: isDone ? (row.expires_at?.toISOString() ?? null) : null,
    records: row.records,
    bytes: row.bytes,
    sha256: row.sha256,
    ...(embeddings && { embeddings: shownOf(embeddings) }),
    error: reason === null ? null : { reason, message: message ?? '' },
  }
}

const shownOf = ({ calls: _, ...shown }: Embedded) => shown

export const jobOf = (row: ExportRow): ExportJob => ({
  id: row.id,
  projectId: row.project_id,
  runId: row.run_id,
  format: row.format,
  select: row.selection,
  sink: row.sink,
  credentials: row.credentials,
  lease: row.lease ?? '',
  attempts: row.attempts,
  upload: row.upload,
  trace: row.trace,
  embeddings: row.embeddings,
  caps: { fileBytes: row.file_cap, keptBytes: row.kept_cap },
})

/** SQL condition: the file of the export is stored in Postgres. It may have expired. */
export const isKeptFile = `state = 'done' and sink ->> 'type' = 'download'`

/** SQL condition. */
export const isOfDeletedRun = 'exists (select from content.deletion where deletion.run_id = export.run_id)'

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
