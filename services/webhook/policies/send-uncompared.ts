/** Sends the end of a run without a comparison or a judgement if the run has waited too long for it. */

import { type PeriodicTask, repeat } from '@tidemark/bus/repeat'
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool } from 'pg'
import { findOverdueRuns } from '../adapters/waiting-runs.ts'
import { type Decisions, decideOverdue, noDecisions } from './decide-deliveries.ts'

type Ports = Pick<PeriodicTask, 'bus' | 'signal' | 'report'> & {
  pool: Pool
  /** Called after the commit. */
  decided: (decisions: Decisions) => void
}

const pauseMs = 1_000

/** Searches once a second until the signal aborts. */
export const sendUncompared = ({ pool, decided, ...until }: Ports): Promise<void> =>
  repeat(
    async () => {
      for (const runId of await findOverdueRuns(pool)) {
        const decisions = noDecisions()
        await inTransaction(pool, client => decideOverdue(client, runId, decisions))
        decided(decisions)
      }
    },
    { name: 'the search for runs that were not compared or judged', ...until, pauseMs },
  )
