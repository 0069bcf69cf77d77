/** Attempts that are older than the log is kept go; their deliveries stay, with how often they were tried. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Pool } from 'pg'

type Sweeping = {
  bus: Pick<Bus, 'nc'>
  pool: Pool
  days: number
  signal: AbortSignal
  report: (error: unknown) => void
}

const pauseMs = 60_000
const sweptAtOnce = 5_000

const sweep = `delete from webhook.attempt where ctid = any(array(
  select ctid from webhook.attempt where at < now() - make_interval(days => $1) limit ${sweptAtOnce}))`

/** A part at a time, until the signal aborts. */
export const sweepAttempts = ({ pool, days, ...until }: Sweeping): Promise<void> =>
  again(() => forgetAttempts(pool, days), {
    name: 'the sweep of attempts',
    isSpare: true,
    ...until,
    pauseMs,
  })

/** All that are older than so many days. */
export async function forgetAttempts(pool: Pool, days: number): Promise<void> {
  for (let removed = sweptAtOnce; removed === sweptAtOnce; ) {
    const { rowCount } = await pool.query(sweep, [days])
    removed = rowCount ?? 0
  }
}
