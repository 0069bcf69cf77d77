/**
 * Work that one instance does at a time: whoever holds the lock. It passes on when its connection ends. The lock is of a
 * transaction, which stays open meanwhile and has read nothing that would keep old rows: one of the session would stay
 * behind on a connection that a pooler of transactions then gives to others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf } from '@tidemark/bus/cause'
import type { Bus } from '@tidemark/bus/connection'
import { fails, works } from '@tidemark/bus/troubles'
import { named } from '@tidemark/contracts/health'
import type { Database } from '@tidemark/db/database'
import { inTransaction } from '@tidemark/db/transaction'

type Options = {
  bus: Pick<Bus, 'nc'>
  pool: Database['pool']
  /** In Postgres. */
  lock: number
  signal: AbortSignal
  report: (error: unknown) => void
  /** How often a turn is tried for, and for how long nobody may be able to before that is a fault of the service. */
  patience?: { tryEveryMs: number; faultyMs: number }
}

const usual = { tryEveryMs: 5_000, faultyMs: 30_000 }

/** Works whenever it is our turn, until the signal aborts. `work` gets a signal that aborts with the turn. */
export async function whileOnlyOne(
  { bus: { nc }, pool, lock, signal, report, patience = usual }: Options,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const turn = `turn ${lock}`
  while (!signal.aborted) {
    await takeTurn({ pool, lock, signal, tried: () => works(nc, turn) }, work).catch(failed)
    await sleep(patience.tryEveryMs, undefined, { signal }).catch(() => {})
  }
  works(nc, turn)

  function failed(error: unknown): void {
    report(error)
    const says = `nobody's turn could be found out: ${error instanceof Error ? error.message : String(error)}`
    fails(nc, turn, named(causeOf(error, 'loop_failing'), says), patience.faultyMs)
  }
}

/** @param tried a turn can be tried for: whoever gets it may keep it for as long as he lives */
async function takeTurn(
  { pool, lock, signal, tried }: Pick<Options, 'pool' | 'lock' | 'signal'> & { tried: () => void },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await inTransaction(pool, async client => {
    const lost = new AbortController()
    const lose = () => lost.abort()
    client.on('error', lose)
    try {
      const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_xact_lock($1) as ours', [
        lock,
      ])
      tried()
      if (rows[0]?.ours === true) await work(AbortSignal.any([signal, lost.signal]))
    } finally {
      client.off('error', lose)
    }
  })
}
