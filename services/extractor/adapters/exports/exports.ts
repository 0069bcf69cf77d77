/**
 * Stores the exports that clients request. The limits and the idempotency key are checked under one lock per project,
 * and every change is stored together with its event.
 */
import type { ExportFile, ListExports, RequestExport, StoredView } from '@tidemark/contracts/rpc/exports'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { fileOf, lowerOf, partBytes } from '../../domain/exports/export-job.ts'
import { exceededLimit, findByKey, forgetProject, type JobLimits } from '../jobs.ts'
import {
  columns,
  type ExportRow,
  enqueueEvents,
  isKeptFile,
  isOfDeletedRun,
  viewColumns,
  viewOf,
  withoutCredentials,
} from './export-rows.ts'
import { keptBytes, lockExports } from './kept-bytes.ts'

export type Limits = JobLimits & {
  /**
   * Maximum bytes of a project that are stored here, including unfinished files. The tier of the project may set a
   * lower number.
   */
  keptBytes: number
}

export type Requested =
  | { type: 'created'; view: StoredView }
  | { type: 'replayed'; view: StoredView; sameRequest: boolean }
  /** The export of the key was deleted. */
  | { type: 'deleted' }
  | { type: 'too_many' }
  | { type: 'too_many_today' }
  | { type: 'too_much'; keptBytes: number; maxBytes: number }

export type Exports = {
  request(wanted: RequestExport, trace: string | undefined): Promise<Requested>
  list(request: ListExports): Promise<StoredView[]>
  /** Returns null if the project has no such export. */
  find(projectId: number, exportId: number): Promise<StoredView | null>
  /** Returns the file of an export with its project, and null if there is no such export. */
  file(exportId: number): Promise<ExportFile | null>
  /** Hides an export at once. The sweep removes its parts. Returns false if the project has no such export. */
  remove(projectId: number, exportId: number): Promise<boolean>
  /** Hides all exports of a project, with their idempotency keys. Returns their number. */
  removeAll(projectId: number): Promise<number>
  /** Returns whether rows are left after `removeAll`, except rows of open uploads. */
  isForgetting(projectId: number): Promise<boolean>
}

export const exportsIn = (
  { pool, transaction }: Pick<Database, 'pool' | 'transaction'>,
  limits: Limits,
): Exports => ({
  request: (wanted, trace) => transaction(client => request(client, wanted, limits, trace)),

  async list({ projectId, runId, limit, offset }) {
    const { rows } = await pool.query<ExportRow>(
      `select ${viewColumns} from content.export where project_id = $1 and run_id = $2 and state <> 'deleted'
       order by id desc limit $3 offset $4`,
      [projectId, runId, limit, offset],
    )
    return rows.map(viewOf)
  },

  async find(projectId, exportId) {
    const { rows } = await pool.query<ExportRow>(
      `select ${viewColumns} from content.export where id = $1 and project_id = $2 and state <> 'deleted'`,
      [exportId, projectId],
    )
    return rows[0] ? viewOf(rows[0]) : null
  },

  async file(exportId) {
    const { rows } = await pool.query<ExportRow & { isKept: boolean }>(
      `select ${columns}, ${isKeptFile} and expires_at > now() and not ${isOfDeletedRun} as "isKept"
       from content.export where id = $1 and state <> 'deleted'`,
      [exportId],
    )
    return rows[0] ? fileIn(rows[0]) : null
  },

  remove: (projectId, exportId) =>
    transaction(async client => (await hide(client, projectId, exportId)) === 1),

  removeAll: projectId =>
    transaction(async client => {
      const hidden = await hide(client, projectId, null)
      await forgetProject(client, 'export', projectId)
      return hidden
    }),

  async isForgetting(projectId) {
    const { rowCount } = await pool.query(
      'select from content.export where project_id = $1 and is_forgotten and upload is null limit 1',
      [projectId],
    )
    return rowCount === 1
  },
})

async function request(
  client: PoolClient,
  wanted: RequestExport,
  limits: Limits,
  trace: string | undefined,
): Promise<Requested> {
  const { projectId, runId, format, select, sink, caps } = wanted
  await lockExports(client, projectId)
  const earlier = await earlierOf(client, wanted)
  if (earlier !== null) return earlier
  const exceeded = await exceededLimit(client, 'export', projectId, limits)
  if (exceeded !== null) return { type: exceeded }
  if (sink.type === 'download') {
    const kept = await keptBytes(client, projectId, null)
    const maxBytes = lowerOf(limits.keptBytes, caps?.keptBytes ?? null)
    if (kept >= maxBytes) return { type: 'too_much', keptBytes: kept, maxBytes }
  }
  const view = await insert(client, wanted, trace)
  const data = { exportId: view.id, projectId, runId, format, select, sink }
  await enqueueEvents(client, [view.id], { type: 'ExportRequested', data }, trace)
  return { type: 'created', view }
}

async function insert(
  client: PoolClient,
  wanted: RequestExport,
  trace: string | undefined,
): Promise<StoredView> {
  const { projectId, runId, format, select, sink, credentials, idempotencyKey, fingerprint, caps } = wanted
  const { rows } = await client.query<ExportRow>(
    `insert into content.export
       (project_id, run_id, format, selection, sink, credentials, idempotency_key, fingerprint, trace, file_cap, kept_cap)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${columns}`,
    [
      ...[projectId, runId, format, select, sink, credentials, idempotencyKey, fingerprint, trace ?? null],
      ...[caps?.fileBytes, caps?.keptBytes],
    ],
  )
  return viewOf(rows[0] as ExportRow)
}

async function hide(client: PoolClient, projectId: number, exportId: number | null): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `update content.export set state = 'deleted', lease = null, due_at = now(), aborts = 0,
       ended_at = coalesce(ended_at, now()), ${withoutCredentials}
     where project_id = $1 and ($2::bigint is null or id = $2) and state <> 'deleted' returning id`,
    [projectId, exportId],
  )
  const ids = rows.map(({ id }) => id)
  await enqueueEvents(client, ids, { type: 'ExportDeleted', data: {} })
  return rows.length
}

async function earlierOf(client: PoolClient, wanted: RequestExport): Promise<Requested | null> {
  const row = await findByKey<ExportRow>(client, 'export', viewColumns, wanted)
  if (row === null) return null
  if (row.state === 'deleted') return { type: 'deleted' }
  return { type: 'replayed', view: viewOf(row), sameRequest: row.fingerprint === wanted.fingerprint }
}

function fileIn(row: ExportRow & { isKept: boolean }): ExportFile {
  const { projectId, isKept, bytes, sha256, endedAt } = row
  const createdAt = row.createdAt.toISOString()
  if (!isKept || bytes === null || sha256 === null || endedAt === null)
    return { projectId, createdAt, file: null }
  const finishedAt = endedAt.toISOString()
  const { name } = fileOf(row)
  return { projectId, createdAt, file: { name, bytes, sha256, partBytes, finishedAt } }
}
