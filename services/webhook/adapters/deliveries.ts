/**
 * Updates the table `webhook.delivery` for attempts. One statement claims and counts an attempt before anything is
 * sent, so that no crash can lead to a sixth attempt. `next_at` is when a delivery may be claimed again: after a wait,
 * or when the lease of the sender has ended. All times are the database's. Concurrent deliveries share the statements
 * that find, claim and record them.
 */
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool } from 'pg'
import type { AnyFacts, SentEvent } from '../domain/message.ts'
import type { Outcome, Verdict } from '../domain/verdict.ts'
import { attemptColumns } from './attempts.ts'
import { batched } from './batched.ts'
import { attempted, ended, interrupted } from './delivery-events.ts'
import { claim, find, forgetAnnouncement, interrupt, putOff, settle } from './delivery-statements.ts'
import { append } from './facet.ts'

export type Due = {
  projectId: number
  host: string
  /** Attempts so far. */
  attempts: number
  /** The last attempt is claimed and not recorded: its sender is still active, or it crashed. */
  isSending: boolean
  /** Milliseconds until it may be claimed; 0 or less if it may be claimed now. */
  dueInMs: number
}

export type Claimed = {
  /** The negative id of a batch for its webhook, and the id of a notice for a notice. */
  runId: number
  projectId: number
  url: string
  host: string
  event: SentEvent
  webhookId: string
  /** Number of the round, from 1. A redelivery begins a new round with a first attempt. */
  round: number
  /** Number of this attempt within the round, from 1. */
  attempt: number
  facts: AnyFacts
  trace: string | null
}

export type Deliveries = {
  /** Returns null if nothing is left to deliver. */
  find(runId: number): Promise<Due | null>
  /**
   * Counts an attempt and prevents other claims for the duration of the lease. Returns null if the delivery is not
   * nearly due, if it is claimed already, or if no attempt is left.
   */
  claim(runId: number): Promise<Claimed | null>
  /** Records the result of a claimed attempt. Returns null if the claim was lost. */
  record(result: AttemptResult): Promise<RecordedAttempt | null>
  /** Records a claimed attempt as interrupted after its lease has ended. It may have been the last attempt. */
  recordInterrupted(runId: number): Promise<void>
  /** Delays the delivery. It is announced again afterwards. */
  postpone(runId: number, ms: number): Promise<void>
  /** Records that a delivery which is not due yet has no message any more. It is announced again when it is due. */
  awaitAnnouncement(runId: number): Promise<void>
}

/** The wait before a retry starts at `endedAt`, a time of `performance.now()`. */
export type AttemptResult = { claimed: Claimed; outcome: Outcome; verdict: Verdict; endedAt: number }

/** The id of the outbox row with the events; null: a notice, which has none. */
export type RecordedAttempt = { outboxId: number | null }

/** Maximum number of rows in one statement. */
const maxBatch = 128

/** Opens the deliveries. A claim lasts for `leaseMs`, during which no other process can claim the same delivery. */
export function openDeliveries(pool: Pool, leaseMs: number): Deliveries {
  const postponed = batched((puts: { runId: number; ms: number }[]) => postponeAll(pool, puts), maxBatch)
  return {
    find: batched(runIds => findAll(pool, runIds), maxBatch),
    claim: batched(runIds => claimAll(pool, runIds, leaseMs), maxBatch),
    record: batched(results => recordAll(pool, results), maxBatch),
    recordInterrupted: runId => recordInterrupted(pool, runId),
    postpone: (runId, ms) => postponed({ runId, ms }),
    awaitAnnouncement: batched(runIds => awaitAnnouncements(pool, runIds), maxBatch),
  }
}

async function findAll(pool: Pool, runIds: number[]): Promise<(Due | null)[]> {
  const { rows } = await pool.query<Due & { runId: number }>({ name: 'find', text: find, values: [runIds] })
  const found = new Map(rows.map(({ runId, ...due }) => [runId, due]))
  return runIds.map(runId => found.get(runId) ?? null)
}

async function claimAll(pool: Pool, runIds: number[], leaseMs: number): Promise<(Claimed | null)[]> {
  const values = [runIds, leaseMs / 1000]
  const { rows } = await pool.query<Claimed>({ name: 'claim', text: claim, values })
  const claimed = new Map(rows.map(row => [row.runId, row]))
  return runIds.map(runId => {
    const one = claimed.get(runId) ?? null
    // If a batch claims the same delivery twice, only the first claim succeeds.
    claimed.delete(runId)
    return one
  })
}

function recordAll(pool: Pool, all: AttemptResult[]): Promise<(RecordedAttempt | null)[]> {
  return inTransaction(pool, async client => {
    const rows = all.map(rowOf)
    const { rows: settled } = await client.query({
      name: 'settle',
      text: settle,
      values: settledColumns.map(name => rows.map(row => row[name])),
    })
    // A batch may have the results of two attempts of one delivery. The result of the earlier attempt is late and is
    // not recorded.
    const nameOf = (round: number, attempt: number) => `${round} ${attempt}`
    const names = new Map<number, string>(
      settled.map(({ run_id, round, attempts }) => [run_id, nameOf(round, attempts)]),
    )
    const recorded = all.filter(
      ({ claimed: { runId, round, attempt } }) => names.get(runId) === nameOf(round, attempt),
    )
    const outboxIds = await append(client, recorded.map(commitOf))
    const attempts = new Map(recorded.map((result, n) => [result, { outboxId: outboxIds[n] ?? null }]))
    return all.map(result => attempts.get(result) ?? null)
  })
}

/** The parameters of `settle` in order. */
const settledColumns = [
  ...(['runId', 'round', 'attempt', 'state', 'waitSeconds'] as const),
  ...(['status', 'latencyMs', 'error', 'excerpt'] as const),
]

function rowOf({ claimed: { runId, round, attempt }, outcome, verdict, endedAt }: AttemptResult) {
  const { state } = verdict
  const waitMs = state === 'pending' ? verdict.waitMs - (performance.now() - endedAt) : 0
  return {
    runId,
    round,
    attempt,
    state,
    waitSeconds: waitMs / 1000,
    ...attemptColumns(outcome, errorOf(verdict)),
  }
}

function commitOf({ claimed: { runId, attempt, trace }, outcome, verdict }: AttemptResult) {
  const { state } = verdict
  const last = state === 'pending' ? [] : [ended(state, attempt, errorOf(verdict))]
  return { runId, trace, events: [attempted(attempt, outcome), ...last] }
}

const errorOf = (verdict: Verdict) => (verdict.state === 'delivered' ? null : verdict.error)

function recordInterrupted(pool: Pool, runId: number): Promise<void> {
  return inTransaction(pool, async client => {
    const { status, latencyMs, error, excerpt } = attemptColumns(interrupted, interrupted.error)
    const { rows } = await client.query(interrupt, [runId, status, latencyMs, error, excerpt])
    const commits = rows.map(({ state, attempts, trace }) => {
      const last = state === 'dead' ? [ended(state, attempts, interrupted.error)] : []
      return { runId, trace, events: [attempted(attempts, interrupted), ...last] }
    })
    await append(client, commits)
  })
}

async function postponeAll(pool: Pool, puts: { runId: number; ms: number }[]): Promise<undefined[]> {
  await pool.query(putOff, [puts.map(({ runId }) => runId), puts.map(({ ms }) => ms / 1000)])
  return puts.map(() => undefined)
}

async function awaitAnnouncements(pool: Pool, runIds: number[]): Promise<undefined[]> {
  await pool.query(forgetAnnouncement, [runIds])
  return runIds.map(() => undefined)
}
