/**
 * Stores the sessions of logins: sealed cookies, one row for each run that has not ended. The end of a run releases its
 * slot and deletes the row in one transaction (`admissions.ts`), and after it no row is stored.
 */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Pool } from 'pg'
import type { FindSession, FoundSession } from './send-orders.ts'

export type Sessions = {
  /** Stores the sessions among these outcomes of one run. Repeating it changes nothing. */
  keep(runId: number, outcomes: readonly Outcome[]): Promise<void>
  find: FindSession
}

/** Stores a session. It locks the admission, so it waits for a concurrent release of the slot. */
const store = `
  insert into coordinator.login_session (run_id, attempt, sealed)
  select run_id, $2, $3 from (
    select run_id from coordinator.admission where run_id = $1 and released_at is null for update
  ) as held
  on conflict (run_id) do update set attempt = excluded.attempt, sealed = excluded.sealed
  where login_session.attempt < excluded.attempt`

/** The row of a run that has not ended exists, unless it is lost. */
const search = `
  select sealed, attempt, released_at is null as continues
  from coordinator.admission left join coordinator.login_session using (run_id) where run_id = $1`

type Row = { sealed: string | null; attempt: number | null; continues: boolean }

/** Maximum number of cached sessions. */
const maxCached = 200

export function sessions(pool: Pick<Pool, 'query'>): Sessions {
  /** The session of an attempt never changes. */
  const known = new Map<string, FoundSession>()
  return {
    async keep(runId, outcomes) {
      for (const outcome of outcomes)
        if (outcome.type === 'logged_in') await pool.query(store, [runId, outcome.attempt, outcome.session])
    },
    async find(runId, attempt) {
      const name = `${runId}.${attempt}`
      const cached = known.get(name)
      if (cached !== undefined) return cached
      const { rows } = await pool.query<Row>(search, [runId])
      const [row] = rows
      const found = row === undefined ? ({ type: 'deleted' } as const) : foundIn(row, attempt)
      if (found.type !== 'stored') return found
      const [oldest] = known.keys()
      if (known.size >= maxCached && oldest !== undefined) known.delete(oldest)
      known.set(name, found)
      return found
    },
  }
}

function foundIn({ sealed, attempt, continues }: Row, wanted: number): FoundSession {
  if (sealed !== null && attempt === wanted) return { type: 'stored', sealed }
  const isLost = continues && (attempt === null || attempt < wanted)
  return { type: isLost ? 'lost' : 'deleted' }
}
