/** Work that one instance does at a time: whoever holds the lock. It passes on when its connection ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@tidemark/db/database'

type Options = {
  pool: Database['pool']
  /** Of the session, in Postgres. */
  lock: number
  signal: AbortSignal
  report: (error: unknown) => void
}

const tryEveryMs = 5_000

/** Works whenever it is our turn, until the signal aborts. `work` gets a signal that aborts with the turn. */
export async function whileOnlyOne(
  { pool, lock, signal, report }: Options,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    await takeTurn(pool, lock, signal, work).catch(report)
    await sleep(tryEveryMs, undefined, { signal }).catch(() => {})
  }
}

async function takeTurn(
  pool: Database['pool'],
  lock: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  const lost = new AbortController()
  const lose = () => lost.abort()
  client.on('error', lose)
  let isOurs = false
  try {
    const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [lock])
    isOurs = rows[0]?.ours === true
    if (isOurs) await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    client.off('error', lose)
    // Closing the connection gives the lock back, whatever state it is in.
    client.release(isOurs)
  }
}
