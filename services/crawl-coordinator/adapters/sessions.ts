/**
 * Stores the sessions of logins: sealed cookies, one row for each run that has not ended. The end of a run releases its
 * slot and deletes the row in one transaction (`admissions.ts`), and after it no row is stored.
 */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Pool } from 'pg'
import type { FindSession } from './send-orders.ts'

export type Sessions = {
  /** Stores the sessions among these outcomes of one run. Repeating it changes nothing. */
  keep(runId: number, outcomes: readonly Outcome[]): Promise<void>
  find: FindSession
}

/** Waits for a concurrent release of the slot. */
const store = `
  insert into coordinator.login_session (run_id, attempt, sealed)
  select run_id, $2, $3 from (
    select run_id from coordinator.admission where run_id = $1 and released_at is null for update
  ) as held
  on conflict (run_id) do update set attempt = excluded.attempt, sealed = excluded.sealed
  where login_session.attempt < excluded.attempt`

/** Maximum number of cached sessions. */
const most = 200

export function sessions(pool: Pick<Pool, 'query'>): Sessions {
  /** The session of an attempt never changes. */
  const known = new Map<string, string>()
  return {
    async keep(runId, outcomes) {
      for (const outcome of outcomes)
        if (outcome.type === 'logged_in') await pool.query(store, [runId, outcome.attempt, outcome.session])
    },
    async find(runId, attempt) {
      const name = `${runId}.${attempt}`
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const { rows } = await pool.query<{ sealed: string }>(
        'select sealed from coordinator.login_session where run_id = $1 and attempt = $2',
        [runId, attempt],
      )
      const [row] = rows
      if (row === undefined) return null
      const [oldest] = known.keys()
      if (known.size >= most && oldest !== undefined) known.delete(oldest)
      known.set(name, row.sealed)
      return row.sealed
    },
  }
}
