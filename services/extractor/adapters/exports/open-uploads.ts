/** Uploads of ended exports that are still open at their buckets. Any number of processes may abort them. */
import type { Database } from '@tidemark/db/database'
import type { ExportJob } from '../../domain/exports/export-job.ts'
import { columns } from './export-rows.ts'

/** Time after the end of an export in which the abort of its upload is tried. */
const uploadHours = 24
const firstPauseSeconds = 60
const maxPauseSeconds = 3_600

const isOpen = `upload is not null and state in ('failed', 'deleted')`

/**
 * Returns the export whose upload has been due longest, or null. The upload is due again after a pause that grows with
 * every try, so that buckets that never respond take little time from others.
 */
export async function nextOpenUpload(pool: Database['pool']): Promise<ExportJob | null> {
  await pool.query(
    `update content.export set upload = null, credentials = null
     where ${isOpen} and coalesce(ended_at, created_at) < now() - interval '${uploadHours} hours'`,
  )
  const { rows } = await pool.query<ExportJob>(
    `update content.export set aborts = aborts + 1,
       due_at = now() + make_interval(secs => least(${firstPauseSeconds} * 2 ^ least(aborts, 10), ${maxPauseSeconds}))
     where id = (
       select id from content.export where ${isOpen} and due_at <= now()
       order by due_at, id limit 1 for update skip locked)
     returning ${columns}`,
  )
  return rows[0] ?? null
}

/** Records that an ended export has no open upload, and deletes its credentials. */
export async function recordUploadClosed(pool: Database['pool'], exportId: number): Promise<void> {
  await pool.query(
    `update content.export set upload = null, credentials = null where id = $1 and state in ('failed', 'deleted')`,
    [exportId],
  )
}
