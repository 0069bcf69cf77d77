/** Renews the lease of a job while a process works on it. When the lease is lost, the work is aborted. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LeaseLost } from '../adapters/lease-lost.ts'

type Holding = {
  /** Rejects with `LeaseLost`. */
  renew: () => Promise<void>
  leaseSeconds: number
  /** Aborts the work. */
  signal: AbortSignal
}

/** Carries out the work and renews the lease meanwhile. Rejects as the work does, and with `LeaseLost`. */
export async function whileHeld(
  { renew, leaseSeconds, signal }: Holding,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const working = work(AbortSignal.any([signal, stop.signal]))
  const over = new AbortController()
  const renewing = renewUntil(renew, leaseSeconds, over.signal).catch(reason => stop.abort(reason))
  try {
    await working
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    over.abort()
    await renewing
  }
}

/** Renews the lease. Rejects with `LeaseLost`. Ignores an outage of Postgres, because the lease may last longer. */
async function renewUntil(renew: Holding['renew'], leaseSeconds: number, over: AbortSignal): Promise<void> {
  for (;;) {
    await sleep((leaseSeconds * 1000) / 3, undefined, { signal: over }).catch(() => {})
    if (over.aborted) return
    await renew().catch(error => {
      if (error instanceof LeaseLost) throw error
    })
  }
}
