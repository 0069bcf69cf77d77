/**
 * One reminder of a delivery in; at most one attempt out. The row is the truth: what is not due is told to come
 * again when it is, what is claimed by another is left to it, and what has ended is done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ack, type Handler, nak, type Verdict } from '@tidemark/bus/verdict'
import type { Delivery } from '@tidemark/contracts/work/delivery'
import type { Claimed, Deliveries } from '../adapters/deliveries.ts'
import type { Receiver } from '../adapters/receiver.ts'
import { bodyOf } from '../domain/message.ts'
import { signatureHeaders } from '../domain/signature.ts'
import { judge, type Rules } from '../domain/verdict.ts'
import type { HostTurns } from './host-turns.ts'

export type Ports = {
  deliveries: Deliveries
  turns: HostTurns
  /** Of a project, in hex. */
  secretOf: (projectId: number) => Promise<string>
  send: Receiver
  rules: Rules
  /** How long an attempt may take before another may be claimed. */
  leaseMs: number
  /** Makes the events of a commit of rows visible at once. */
  publishSoon: (outboxId: number) => void
}

/** The queue is asked for it so much too early, and the rest is waited for here: queues are not that exact. */
const earlyMs = 25
const nearlyMs = 2 * earlyMs
const putOffMs = 1_000
const userAgent = 'Tidemark/0.1 (webhook)'

export function deliver(ports: Ports): Handler<Delivery> {
  const { deliveries, turns, secretOf, leaseMs, rules } = ports
  return async ({ runId }) => {
    const due = await deliveries.find(runId)
    if (due === null) return ack
    if (due.dueInMs > nearlyMs) return comeAgain(due.dueInMs)
    const dueAt = performance.now() + due.dueInMs
    const secret = await secretOf(due.projectId)
    await until(dueAt)

    using turn = await turns.take(due.host, { isFirst: due.attempts > 0 })
    if (turn === null) {
      await deliveries.postpone(runId, putOffMs * (1 + rules.chance()))
      return ack
    }
    if (due.isSending) await deliveries.recordInterrupted(runId)
    const claimed = await deliveries.claim(runId, leaseMs)
    return claimed === null ? lookAgain(deliveries, runId) : attempt(ports, claimed, secret)
  }
}

const comeAgain = (inMs: number): Verdict => nak(Math.max(inMs - earlyMs, 0))

async function until(at: number): Promise<void> {
  const restMs = at - performance.now()
  if (restMs > 0) await sleep(Math.ceil(restMs))
}

/** Somebody else was faster, or there was no attempt left. */
async function lookAgain(deliveries: Deliveries, runId: number): Promise<Verdict> {
  const due = await deliveries.find(runId)
  return due === null ? ack : comeAgain(Math.max(due.dueInMs, nearlyMs))
}

async function attempt(ports: Ports, claimed: Claimed, secret: string): Promise<Verdict> {
  const { deliveries, send, rules, publishSoon } = ports
  const outcome = await send(requestOf(claimed, secret))
  const endedAt = performance.now()
  const verdict = judge(outcome, claimed.attempt, rules)
  const outboxId = await deliveries.record(claimed, outcome, verdict)
  if (outboxId !== null) publishSoon(outboxId)
  return verdict.state === 'pending' ? comeAgain(verdict.waitMs - (performance.now() - endedAt)) : ack
}

function requestOf(claimed: Claimed, secret: string) {
  const { runId, webhookId, url, event } = claimed
  const now = new Date()
  const body = bodyOf({ ...claimed, deliveredAt: now.toISOString() })
  const timestamp = Math.floor(now.getTime() / 1000)
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'x-crawler-run-id': String(runId),
      'x-crawler-event': event,
      ...signatureHeaders(Buffer.from(secret, 'hex'), { id: webhookId, timestamp, body }),
    },
  }
}
