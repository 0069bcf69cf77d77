/**
 * webhook.delivery, as attempts change it. An attempt is claimed before anything is sent, in one statement that
 * counts it: so whatever dies afterwards, there is never a sixth. `next_at` is when a delivery may be claimed again:
 * after a wait, or once whoever is sending it must be dead. All times are the database's.
 */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool } from 'pg'
import type { Facts } from '../domain/message.ts'
import { mostAttempts, type Outcome, type Verdict } from '../domain/verdict.ts'
import { noted, notingAttempt } from './attempts.ts'
import { attempted, ended, interrupted } from './delivery-events.ts'
import { append } from './facet.ts'

export type Due = {
  projectId: number
  host: string
  /** Attempts so far. */
  attempts: number
  /** Whoever claimed the last attempt is still at it, or did not live to tell. */
  isSending: boolean
  /** 0 or less when it may be claimed. */
  dueInMs: number
}

export type Claimed = {
  runId: number
  projectId: number
  url: string
  host: string
  event: WebhookEvent
  webhookId: string
  /** How often it was begun from a first attempt, this time included. */
  round: number
  /** Of this claim, from 1. */
  attempt: number
  facts: Facts
  trace: string | null
}

export type Deliveries = {
  /** Null when there is nothing (more) to deliver. */
  find(runId: number): Promise<Due | null>
  /** Counts an attempt and keeps others away for `leaseMs`; null when it is not nearly due, or was the last one. */
  claim(runId: number, leaseMs: number): Promise<Claimed | null>
  /**
   * What came of the claimed attempt, once; nothing when the claim was lost meanwhile. The outbox row's id. A wait
   * counts from `endedAt`, of `performance.now()`.
   */
  record(claimed: Claimed, outcome: Outcome, verdict: Verdict, endedAt: number): Promise<number | null>
  /** Records an attempt that was claimed and never recorded, once its lease is over; it may have been the last. */
  recordInterrupted(runId: number): Promise<void>
  /** Leaves it alone for a while, and lets it be announced again after that. */
  postpone(runId: number, ms: number): Promise<void>
}

/** What is due within this may be claimed: whoever does waits for the rest. */
export const nearlyMs = 150

const isDue = `state = 'pending' and next_at <= clock_timestamp()`
const isNearlyDue = `state = 'pending' and next_at <= clock_timestamp() + interval '${nearlyMs} milliseconds'`

const due = `
  select project_id, host, attempts, is_sending,
    extract(epoch from next_at - clock_timestamp())::float8 * 1000 as due_in_ms
  from webhook.delivery where run_id = $1 and state = 'pending'`

const claim = `
  update webhook.delivery
  set attempts = attempts + 1, is_sending = true, claimed_at = clock_timestamp(),
    next_at = clock_timestamp() + make_interval(secs => $2)
  where run_id = $1 and ${isNearlyDue} and attempts < ${mostAttempts} and not is_sending
  returning project_id, url, host, event, webhook_id, round, attempts, facts, trace`

const settle = notingAttempt(`
  update webhook.delivery
  set state = $5, last_error = $3, is_sending = false, next_at = clock_timestamp() + make_interval(secs => $6),
    ended_at = case $5 when 'pending' then null else clock_timestamp() end
  where run_id = $7 and round = $8 and attempts = $9 and state = 'pending' and is_sending
  returning *`)

const interrupt = notingAttempt(`
  update webhook.delivery
  set is_sending = false, last_error = $3,
    state = case when attempts < ${mostAttempts} then 'pending' else 'dead' end,
    ended_at = case when attempts < ${mostAttempts} then null else clock_timestamp() end
  where run_id = $5 and ${isDue} and is_sending
  returning *`)

const putOff = `
  update webhook.delivery set next_at = clock_timestamp() + make_interval(secs => $2), announced_at = null
  where run_id = $1 and ${isNearlyDue} and not is_sending`

export const openDeliveries = (pool: Pool): Deliveries => ({
  async find(runId) {
    const { rows } = await pool.query({ name: 'due', text: due, values: [runId] })
    const [row] = rows
    if (row === undefined) return null
    const { project_id: projectId, host, attempts, is_sending: isSending, due_in_ms: dueInMs } = row
    return { projectId, host, attempts, isSending, dueInMs }
  },

  async claim(runId, leaseMs) {
    const { rows } = await pool.query({ name: 'claim', text: claim, values: [runId, leaseMs / 1000] })
    const [row] = rows
    if (row === undefined) return null
    const { project_id: projectId, webhook_id: webhookId, attempts: attempt, ...rest } = row
    return { runId, projectId, webhookId, attempt, ...rest }
  },

  record: (claimed, outcome, verdict, endedAt) =>
    inTransaction(pool, async client => {
      const { runId, round, attempt, trace } = claimed
      const { state } = verdict
      const error = state === 'delivered' ? null : verdict.error
      const waitMs = state === 'pending' ? verdict.waitMs - (performance.now() - endedAt) : 0
      const { rowCount } = await client.query(settle, [
        ...noted(outcome, error),
        ...[state, waitMs / 1000, runId, round, attempt],
      ])
      if (rowCount === 0) return null
      const last = state === 'pending' ? [] : [ended(state, attempt, error)]
      return append(client, { runId, trace, events: [attempted(attempt, outcome), ...last] })
    }),

  recordInterrupted: runId =>
    inTransaction(pool, async client => {
      const { rows } = await client.query(interrupt, [...noted(interrupted, interrupted.error), runId])
      const [row] = rows
      if (row === undefined) return
      const { state, attempts, trace } = row
      const last = state === 'dead' ? [ended(state, attempts, interrupted.error)] : []
      await append(client, { runId, trace, events: [attempted(attempts, interrupted), ...last] })
    }),

  async postpone(runId, ms) {
    await pool.query(putOff, [runId, ms / 1000])
  },
})
