/** webhook.attempt: what came of each attempt, written by the statement that changes its delivery. */
import { textOf } from '@tidemark/contracts/plain-text'
import type { Outcome } from '../domain/verdict.ts'

/** The first parameters of such a statement: `$1` to `$4`. */
export const noted = ({ status, elapsedMs, excerpt }: Outcome, error: string | null) => [
  status,
  Math.round(elapsedMs),
  textOf(error),
  textOf(excerpt),
]

/** `change` updates the delivery and returns all of it; what the statement returns are its state, count and trace. */
export const notingAttempt = (change: string): string => `
  with changed as (${change}),
  attempt as (
    insert into webhook.attempt (run_id, round, attempt, at, status, latency_ms, error, excerpt)
    select run_id, round, attempts, coalesce(claimed_at, clock_timestamp()),
      $1::integer, $2::integer, $3::text, $4::text
    from changed
  )
  select state, attempts, trace from changed`
