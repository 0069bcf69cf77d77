/**
 * Work that only the instance with the lock performs. The lock passes to another instance when the connection ends. It
 * is a lock of a transaction that stays open and holds no snapshot, so it keeps no old rows. A session lock would
 * remain on a connection that a transaction pooler then assigns to others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { reportFailing, reportWorking } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import type { Database } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'
import { ifAlone } from '@tidemark/db/try-lock'

type Options = {
  bus: Pick<Bus, 'nc'>
  pool: Database['pool']
  /** Number of the advisory lock in Postgres. */
  lock: number
  signal: AbortSignal
  report: (error: unknown) => void
  /**
   * Interval of attempts to acquire the lock, and the time without a successful attempt after which the service reports
   * a fault.
   */
  delays?: { tryEveryMs: number; faultyMs: number }
}

const usual = { tryEveryMs: 5_000, faultyMs: 30_000 }

/**
 * Works whenever this instance holds the lock, until the signal aborts. `work` receives a signal that aborts when the
 * lock is lost.
 */
export async function whileOnlyOne(
  { bus: { nc }, pool, lock, signal, report, delays = usual }: Options,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const loop = `turn ${lock}`
  const tried = () => reportWorking(nc, loop)
  while (!signal.aborted) {
    await inTransaction(pool, client => ifAlone(client, { lock, signal }, work, tried)).catch(failed)
    await sleep(delays.tryEveryMs, undefined, { signal }).catch(() => {})
  }
  reportWorking(nc, loop)

  function failed(error: unknown): void {
    report(error)
    const message = `the lock could not be tried: ${error instanceof Error ? error.message : String(error)}`
    reportFailing(nc, loop, named(causeOf(error, 'loop_failing'), message), delays.faultyMs)
  }
}
