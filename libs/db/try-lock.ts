/** Work that only one instance does at a time, under an advisory lock of a transaction. */
import type { PoolClient } from 'pg'

type Lock = {
  /** Number of the advisory lock in Postgres. */
  lock: number
  signal: AbortSignal
}

/**
 * Does the work in the transaction of the client if no other instance holds the lock. The signal of the work also aborts
 * when the connection with the lock breaks, because another instance may start then.
 * @param tried called after the attempt, before the work
 */
export async function ifAlone(
  client: PoolClient,
  { lock, signal }: Lock,
  work: (signal: AbortSignal) => Promise<void>,
  tried?: () => void,
): Promise<void> {
  const lost = new AbortController()
  const lose = () => lost.abort()
  client.on('error', lose)
  try {
    const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as ours', [lock])
    tried?.()
    if (rows[0]?.ours === true) await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    client.off('error', lose)
  }
}
