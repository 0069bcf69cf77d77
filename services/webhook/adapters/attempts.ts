/**
 * Writes the outcome of each attempt to the table `webhook.attempt`. The statement that updates the delivery also
 * writes the attempt.
 */
import { textOf } from '@tidemark/contracts/plain-text'
import type { Outcome } from '../domain/verdict.ts'

/** Returns the columns of `webhook.attempt` for an outcome. */
export const attemptColumns = ({ status, elapsedMs, excerpt }: Outcome, error: string | null) => ({
  status,
  latencyMs: Math.round(elapsedMs),
  error: textOf(error),
  excerpt: textOf(excerpt),
})

/**
 * Extends `change` to insert the attempts. Its CTE `changed` must have the updated rows of deliveries, with the columns
 * `status`, `latency_ms`, `error` and `excerpt` of their attempts. The statement returns run, round, state, count of
 * attempts and trace of each row.
 */
export const recordingAttempts = (change: string): string => `
  ${change},
  attempt as (
    insert into webhook.attempt (run_id, round, attempt, at, status, latency_ms, error, excerpt)
    select run_id, round, attempts, coalesce(claimed_at, clock_timestamp()), status, latency_ms, error, excerpt
    from changed
  )
  select run_id, round, state, attempts, trace from changed`
