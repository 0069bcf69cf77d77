/** webhook.run, while a run is done and what it differs by from the run before is not known yet. */
import type { Pool, PoolClient } from 'pg'
import type { Facts } from '../domain/message.ts'

/** What is known of its end. */
export type Waiting = { runId: number; facts: Facts; trace: string | null }

const note = `
  update webhook.run set ending = $2, waits_until = clock_timestamp() + make_interval(secs => $3)
  where run_id = $1 and not is_compared and target <> ''`

/** Once, though its end be read again. */
export async function noteWaiting(client: PoolClient, waiting: Waiting, waitMs: number): Promise<void> {
  await client.query(note, [waiting.runId, JSON.stringify(waiting), waitMs / 1000])
}

/** What waited among these runs: nothing of them waits any more. */
export async function takeWaiting(client: PoolClient, runIds: readonly number[]): Promise<Waiting[]> {
  if (runIds.length === 0) return []
  const { rows } = await client.query<{ ending: Waiting }>(
    `update webhook.run as r set ending = null, waits_until = null, is_compared = true
     from (select run_id, ending from webhook.run where run_id = any($1) and waits_until is not null for update) as w
     where r.run_id = w.run_id returning w.ending`,
    [runIds],
  )
  return rows.map(({ ending }) => ending)
}

/** Whose time to wait is over. */
export async function findOverdueRuns(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ run_id: number }>(
    'select run_id from webhook.run where waits_until < clock_timestamp() order by waits_until limit 100',
  )
  return rows.map(row => row.run_id)
}
