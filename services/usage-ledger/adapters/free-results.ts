/**
 * Counts the results of projects that cost nothing. The reader of a stream counts them with its checkpoint, so each
 * message counts once. Bills list only some of them, so the bills cannot be counted instead.
 */
import type { Pool, PoolClient } from 'pg'
import type { FreeResults } from '../domain/billing.ts'

/** Rows are locked in one order, because two readers count for the same projects. */
const add = `
  insert into ledger.free_result (project_id, day, pages, cloud_pages)
  select project_id, day, sum(pages), sum(cloud_pages)
  from unnest($1::bigint[], $2::date[], $3::bigint[], $4::bigint[]) as counted (project_id, day, pages, cloud_pages)
  group by project_id, day order by project_id, day
  on conflict (project_id, day) do update
  set pages = free_result.pages + excluded.pages, cloud_pages = free_result.cloud_pages + excluded.cloud_pages`

/** Scalar subquery: the free results of kind $3 of project $1 on day $4. */
export const freeToday = `
  coalesce((
    select case $3 when 'page' then pages else cloud_pages end from ledger.free_result
    where project_id = $1 and day = $4::date
  ), 0)`

/** Deletes the counts of earlier days, which no limit reads. */
export async function sweepFree(pool: Pool): Promise<void> {
  await pool.query('delete from ledger.free_result where day < current_date - 2')
}

/** Adds to the counts of projects and days. Call it in the transaction that stores the checkpoint. */
export async function countFree(client: PoolClient, results: readonly FreeResults[]): Promise<void> {
  const counted = results.filter(({ units }) => units.page + units.cloud_page > 0)
  if (counted.length === 0) return
  await client.query(add, [
    counted.map(({ projectId }) => projectId),
    counted.map(({ day }) => day),
    counted.map(({ units }) => units.page),
    counted.map(({ units }) => units.cloud_page),
  ])
}
