/**
 * The bytes of a project that are kept here: its finished files, and the stored parts of the unfinished ones. They are
 * counted under a lock of the project, so that concurrent exports do not exceed the limit together.
 */
import type { PoolClient } from 'pg'
import { isUnfinished } from '../jobs.ts'
import { isKeptFile } from './export-rows.ts'

const lockOfExports = 0x6578

/** Waits for the lock of the exports of a project, which is held until the end of the transaction. */
export async function lockExports(client: PoolClient, projectId: number): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [lockOfExports, projectId % 2 ** 31])
}

/**
 * Returns the bytes. The caller has the lock.
 * @param except a part that is about to be replaced, which does not count
 */
export async function keptBytes(
  client: PoolClient,
  projectId: number,
  except: { exportId: number; number: number } | null,
): Promise<number> {
  const { rows } = await client.query<{ kept: string }>(
    `select coalesce(sum(case when ${isUnfinished} then written.bytes else export.bytes end), 0)::text as kept
     from content.export, lateral (
       select sum(size) as bytes from content.export_part
       where ${isUnfinished} and export_id = export.id and (export_id, number) is distinct from ($2, $3)) as written
     where project_id = $1 and sink ->> 'type' = 'download' and (${isUnfinished} or ${isKeptFile})`,
    [projectId, except?.exportId, except?.number],
  )
  return Number(rows[0]?.kept ?? 0)
}
