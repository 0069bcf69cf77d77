/**
 * webhook.delivery, as attempts change it. An attempt is claimed before anything is sent, in one statement that
 * counts it: so whatever dies afterwards, there is never a sixth. `next_at` is when a delivery may be claimed again:
 * after a wait, or once whoever is sending it must be dead. All times are the database's. Deliveries that come
 * together are found, claimed and recorded together.
 */
import type { WebhookEvent } from '@tidemark/contracts/run-settings'
import { inTransaction } from '@tidemark/db/transaction'
import type { Pool } from 'pg'
import type { Facts } from '../domain/message.ts'
import type { Outcome, Verdict } from '../domain/verdict.ts'
import { noted } from './attempts.ts'
import { batched } from './batched.ts'
import { attempted, ended, interrupted } from './delivery-events.ts'
import { claim, find, interrupt, putOff, settle } from './delivery-statements.ts'
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
  /** Counts an attempt and keeps others away for the lease; null when it is not nearly due, or was the last one. */
  claim(runId: number): Promise<Claimed | null>
  /** What came of the claimed attempt, once; nothing when the claim was lost meanwhile. The outbox row's id. */
  record(told: Told): Promise<number | null>
  /** Records an attempt that was claimed and never recorded, once its lease is over; it may have been the last. */
  recordInterrupted(runId: number): Promise<void>
  /** Leaves it alone for a while, and lets it be announced again after that. */
  postpone(runId: number, ms: number): Promise<void>
}

/** A wait counts from `endedAt`, of `performance.now()`. */
export type Told = { claimed: Claimed; outcome: Outcome; verdict: Verdict; endedAt: number }

/** In one statement. What comes at once beyond that is little late. */
const most = 128

/** Nobody else may claim what is claimed for `leaseMs`. */
export function openDeliveries(pool: Pool, leaseMs: number): Deliveries {
  const postponed = batched((puts: { runId: number; ms: number }[]) => postponeAll(pool, puts), most)
  return {
    find: batched(runIds => findAll(pool, runIds), most),
    claim: batched(runIds => claimAll(pool, runIds, leaseMs), most),
    record: batched(told => recordAll(pool, told), most),
    recordInterrupted: runId => recordInterrupted(pool, runId),
    postpone: (runId, ms) => postponed({ runId, ms }),
  }
}

async function findAll(pool: Pool, runIds: number[]): Promise<(Due | null)[]> {
  const { rows } = await pool.query({ name: 'find', text: find, values: [runIds] })
  const found = new Map<number, Due>()
  for (const { run_id, project_id: projectId, host, attempts, is_sending, due_in_ms } of rows)
    found.set(run_id, { projectId, host, attempts, isSending: is_sending, dueInMs: due_in_ms })
  return runIds.map(runId => found.get(runId) ?? null)
}

async function claimAll(pool: Pool, runIds: number[], leaseMs: number): Promise<(Claimed | null)[]> {
  const { rows } = await pool.query({ name: 'claim', text: claim, values: [runIds, leaseMs / 1000] })
  const claimed = new Map<number, Claimed>()
  for (const { run_id: runId, project_id, webhook_id, attempts, ...rest } of rows)
    claimed.set(runId, { runId, projectId: project_id, webhookId: webhook_id, attempt: attempts, ...rest })
  return runIds.map(runId => {
    const one = claimed.get(runId) ?? null
    // Two who ask for the same one at once: it is the first one's.
    claimed.delete(runId)
    return one
  })
}

function recordAll(pool: Pool, all: Told[]): Promise<(number | null)[]> {
  return inTransaction(pool, async client => {
    const rows = all.map(rowOf)
    const column = <Name extends keyof Noted>(name: Name) => rows.map(row => row[name])
    const { rows: settled } = await client.query({
      name: 'settle',
      text: settle,
      values: [
        ...[column('runId'), column('round'), column('attempt'), column('state'), column('waitSeconds')],
        ...[column('status'), column('latencyMs'), column('error'), column('excerpt')],
      ],
    })
    const runIds = new Set<number>(settled.map(({ run_id }) => run_id))
    const recorded = all.filter(({ claimed }) => runIds.has(claimed.runId))
    const outboxIds = await append(client, recorded.map(commitOf))
    const idOf = new Map(recorded.map((told, n) => [told, outboxIds[n] as number]))
    return all.map(told => idOf.get(told) ?? null)
  })
}

type Noted = ReturnType<typeof rowOf>

function rowOf({ claimed: { runId, round, attempt }, outcome, verdict, endedAt }: Told) {
  const { state } = verdict
  const waitMs = state === 'pending' ? verdict.waitMs - (performance.now() - endedAt) : 0
  return { runId, round, attempt, state, waitSeconds: waitMs / 1000, ...noted(outcome, errorOf(verdict)) }
}

function commitOf({ claimed: { runId, attempt, trace }, outcome, verdict }: Told) {
  const { state } = verdict
  const last = state === 'pending' ? [] : [ended(state, attempt, errorOf(verdict))]
  return { runId, trace, events: [attempted(attempt, outcome), ...last] }
}

const errorOf = (verdict: Verdict) => (verdict.state === 'delivered' ? null : verdict.error)

function recordInterrupted(pool: Pool, runId: number): Promise<void> {
  return inTransaction(pool, async client => {
    const { status, latencyMs, error, excerpt } = noted(interrupted, interrupted.error)
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
