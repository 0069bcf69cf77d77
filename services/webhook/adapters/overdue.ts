/** Measures how long webhooks wait for reasons other than their receivers. */
import type { Pool } from 'pg'

const maxOverdue = `
  select coalesce(extract(epoch from clock_timestamp() - min(next_at)), 0)::float8 as seconds
  from webhook.delivery where state = 'pending' and next_at <= clock_timestamp() and host <> all($1)`

/**
 * Returns the age in seconds of the oldest due delivery; 0 if none is due. Hosts in `broken` do not count, because they
 * cause their own delay.
 */
export async function overdueSeconds(pool: Pool, broken: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(maxOverdue, [broken])
  return rows[0]?.seconds ?? 0
}
