/** Sends the fetched pages of a run that have waited long enough for further ones, as one batch. */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool } from 'pg'
import { findDuePages } from '../adapters/page-batching.ts'
import type { Decisions } from './decide-deliveries.ts'
import { decideDuePages } from './decide-notices.ts'

type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & {
  pool: Pool
  /** Maximum milliseconds for which the next batch waits. */
  waitMs: number
  /** Called after the commit. */
  decided: (decisions: Decisions) => void
}

const pauseMs = 1_000

/** Sends batches of fetched pages whose wait is over. Searches for them once a second until the signal aborts. */
export const sendWaitingPages = ({ pool, waitMs, decided, ...until }: Ports): Promise<void> =>
  repeat(
    async () => {
      for (const runId of await findDuePages(pool)) {
        const toDeliver = await inTransaction(pool, client => decideDuePages(client, runId, waitMs))
        decided({ toDeliver, outboxIds: [] })
      }
    },
    { name: 'the search for waiting pages', ...until, pauseMs },
  )
