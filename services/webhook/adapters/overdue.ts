/** Measures how long webhooks wait for reasons other than their receivers. */
import type { Pool } from 'pg'
import type { Endpoint } from '../concurrency/breakers.ts'
import { columnsOf } from './endpoint-columns.ts'

const maxOverdue = `
  select coalesce(extract(epoch from clock_timestamp() - min(next_at)), 0)::float8 as seconds
  from webhook.delivery where state = 'pending' and next_at <= clock_timestamp()
    and (project_id, host) not in (select * from unnest($1::bigint[], $2::text[]))`

/**
 * Returns the age in seconds of the oldest due delivery; 0 if none is due. Endpoints in `broken` do not count, because they
 * cause their own delay.
 */
export async function overdueSeconds(pool: Pool, broken: readonly Endpoint[]): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(maxOverdue, columnsOf(broken))
  return rows[0]?.seconds ?? 0
}
