/** webhook.attempt: what came of each attempt, written by the statement that changes its delivery. */
import { textOf } from '@tidemark/contracts/plain-text'
import type { Outcome } from '../domain/verdict.ts'

/** What a row of it says of an outcome. */
export const noted = ({ status, elapsedMs, excerpt }: Outcome, error: string | null) => ({
  status,
  latencyMs: Math.round(elapsedMs),
  error: textOf(error),
  excerpt: textOf(excerpt),
})

/**
 * `changed` are the rows of deliveries that `change` has updated, beside them what is noted of their attempts:
 * `status`, `latency_ms`, `error` and `excerpt`. What the statement returns are their runs, states, counts and traces.
 */
export const notingAttempts = (change: string): string => `
  ${change},
  attempt as (
    insert into webhook.attempt (run_id, round, attempt, at, status, latency_ms, error, excerpt)
    select run_id, round, attempts, coalesce(claimed_at, clock_timestamp()), status, latency_ms, error, excerpt
    from changed
  )
  select run_id, state, attempts, trace from changed`
