/**
 * Stores in the table `webhook.run` which finished runs wait for the comparison with their previous run, and then for
 * the judgement of their changes.
 */
import type { Pool, PoolClient } from 'pg'
import type { Difference, Facts } from '../domain/message.ts'

/** The end of a run that waits for its comparison or judgement. `reopenings` is absent in rows of earlier versions. */
export type WaitingEnd = {
  runId: number
  facts: Facts
  trace: string | null
  reopenings?: number
  /** The difference, if the run is compared and waits for its judgement. */
  difference?: Difference
}

const wait = `
  update webhook.run set ending = $2, waits_until = clock_timestamp() + make_interval(secs => $3)
  where run_id = $1 and target <> ''`

/**
 * Records that the run waits for its comparison. A later end replaces an earlier one. Repeated calls after the
 * comparison have no effect.
 */
export async function recordWaiting(client: PoolClient, end: WaitingEnd, waitMs: number): Promise<void> {
  await client.query(`${wait} and not is_compared`, [end.runId, JSON.stringify(end), waitMs / 1000])
}

/** Records that a compared run waits for the judgement of its changes. */
export async function recordJudging(client: PoolClient, end: WaitingEnd, waitMs: number): Promise<void> {
  await client.query(wait, [end.runId, JSON.stringify(end), waitMs / 1000])
}

/** Returns the waiting runs among `runIds` and ends their wait. */
export async function takeWaiting(client: PoolClient, runIds: readonly number[]): Promise<WaitingEnd[]> {
  if (runIds.length === 0) return []
  const { rows } = await client.query<{ ending: WaitingEnd }>(
    `update webhook.run as r set ending = null, waits_until = null, is_compared = true
     from (select run_id, ending from webhook.run where run_id = any($1) and waits_until is not null for update) as w
     where r.run_id = w.run_id returning w.ending`,
    [runIds],
  )
  return rows.map(({ ending }) => ending)
}

/** Returns at most 100 runs whose wait has ended. */
export async function findOverdueRuns(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ run_id: number }>(
    'select run_id from webhook.run where waits_until < clock_timestamp() order by waits_until limit 100',
  )
  return rows.map(row => row.run_id)
}
