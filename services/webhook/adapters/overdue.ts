/** How long webhooks wait that nobody keeps waiting but us. */
import type { Pool } from 'pg'

const longest = `
  select coalesce(extract(epoch from clock_timestamp() - min(next_at)), 0)::float8 as seconds
  from webhook.delivery where state = 'pending' and next_at <= clock_timestamp() and host <> all($1)`

/** Seconds since the first that is due fell due, 0 where none is; a host in `broken` is the cause of its own. */
export async function overdueSeconds(pool: Pool, broken: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(longest, [broken])
  return rows[0]?.seconds ?? 0
}
