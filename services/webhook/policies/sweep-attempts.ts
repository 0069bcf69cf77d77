/** Deletes attempts after the retention time of the log. Their deliveries stay, with the count of attempts. */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import type { Pool } from 'pg'

type Sweeping = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & { pool: Pool; days: number }

const pauseMs = 60_000
const sweptAtOnce = 5_000

const sweep = `delete from webhook.attempt where ctid = any(array(
  select ctid from webhook.attempt where at < now() - make_interval(days => $1) limit ${sweptAtOnce}))`

/** Deletes old attempts once a minute until the signal aborts. */
export const sweepAttempts = ({ pool, days, ...until }: Sweeping): Promise<void> =>
  repeat(() => forgetAttempts(pool, days), {
    name: 'the sweep of attempts',
    isSpare: true,
    ...until,
    pauseMs,
  })

/** Deletes all attempts that are older than `days`, in batches. */
export async function forgetAttempts(pool: Pool, days: number): Promise<void> {
  for (let removed = sweptAtOnce; removed === sweptAtOnce; ) {
    const { rowCount } = await pool.query(sweep, [days])
    removed = rowCount ?? 0
  }
}
