/**
 * Handles a reminder of a delivery with at most one attempt. The row of the delivery decides what happens: the reminder
 * of a delivery that is not due is redelivered when it is due, a delivery that another process has claimed is left to
 * that process, and the reminder of an ended delivery is acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { failHere, linkHere, withWorkSpan } from '@tidemark/bus/trace'
import { ack, type Handler, nak, type Verdict } from '@tidemark/bus/verdict'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Delivery } from '@tidemark/contracts/work/delivery'
import { counter, histogram } from '@tidemark/telemetry/metrics'
import type { AttemptResult, Claimed, Deliveries } from '../adapters/deliveries.ts'
import { nearlyMs } from '../adapters/delivery-statements.ts'
import type { Receiver } from '../adapters/receiver.ts'
import type { SecretsHex } from '../adapters/secrets.ts'
import type { Gate } from '../concurrency/gate.ts'
import { bodyOf, subjectOf } from '../domain/message.ts'
import { requestOf } from '../domain/request.ts'
import { isFaultOfEndpoint, judge, type Rules } from '../domain/verdict.ts'

export type Ports = {
  deliveries: Deliveries
  gate: Gate
  secretsOf: (projectId: number) => Promise<SecretsHex>
  send: Receiver
  rules: Rules
  /** Called when a receiver has responded (`isWell`: without a fault of its own), and when the handler ends. */
  ended: (runId: number, isWell: boolean) => void
  /** Publishes the events of an outbox row immediately. */
  publishSoon: (outboxId: number) => void
}

/**
 * Milliseconds by which reminders are requested too early, because queues are not exact and an attempt must not be
 * late. The rest of the wait is used for preparation.
 */
const earlyMs = nearlyMs / 2
const putOffMs = 1_000
/**
 * Maximum wait of a message in the queue. A waiting message counts as unacknowledged, and too many of them would make
 * the server withhold the webhooks of all projects.
 */
const maxHeldMs = 30_000

export function deliver(ports: Ports): Handler<Delivery> {
  const { deliveries, gate, secretsOf, rules, ended } = ports
  return async ({ runId }) => {
    using _ = { [Symbol.dispose]: () => ended(runId, false) }
    const due = await deliveries.find(runId)
    if (due === null) return ack
    if (due.dueInMs > nearlyMs) return remindIn(deliveries, runId, due.dueInMs)
    const dueAt = performance.now() + due.dueInMs
    const isRetry = due.attempts > 0
    using slots = await gate.enter({ projectId: due.projectId, host: due.host, isRetry })
    if (slots === null) {
      await deliveries.postpone(runId, putOffMs * (1 + rules.chance()))
      return ack
    }
    const secrets = await secretsOf(due.projectId)
    if (due.isSending) {
      await until(dueAt)
      await deliveries.recordInterrupted(runId)
    }
    const claimed = await deliveries.claim(runId)
    if (claimed === null) return findAgain(deliveries, runId)
    await until(dueAt)
    const result = await traced(claimed, () => attempt(ports, claimed, secrets))
    // The receiver has responded, so recording the result needs no slot.
    slots[Symbol.dispose]()
    ended(runId, !isFaultOfEndpoint(result.outcome))
    return record(ports, result)
  }
}

const attempted = histogram('tidemark.webhook.attempt.seconds')
const endings = counter('tidemark.webhook.deliveries')

function count({ outcome, verdict }: AttemptResult): void {
  const { status, error, isRefused, elapsedMs } = outcome
  const failed = isRefused ? 'refused' : status === null ? 'no_answer' : `http_${Math.floor(status / 100)}xx`
  attempted(elapsedMs / 1_000, { result: error === null ? 'delivered' : failed })
  if (verdict.state !== 'pending') endings(1, { state: verdict.state })
}

/** Keeps the message until the delivery is due. After a long wait the delivery is announced again instead. */
async function remindIn(deliveries: Deliveries, runId: number, inMs: number): Promise<Verdict> {
  if (inMs <= maxHeldMs) return nak(Math.max(inMs - earlyMs, 0))
  await deliveries.awaitAnnouncement(runId)
  return ack
}

async function until(at: number): Promise<void> {
  const restMs = at - performance.now()
  if (restMs > 0) await sleep(Math.ceil(restMs))
}

/** Handles a delivery that could not be claimed, because another process was faster or no attempt was left. */
async function findAgain(deliveries: Deliveries, runId: number): Promise<Verdict> {
  const due = await deliveries.find(runId)
  return due === null ? ack : remindIn(deliveries, runId, Math.max(due.dueInMs, nearlyMs))
}

/** Runs the attempt in the trace of the run, and links the trace of the reminder. */
function traced(claimed: Claimed, send: () => Promise<AttemptResult>): Promise<AttemptResult> {
  const { projectId, attempt, trace } = claimed
  const about = {
    [spanAttributes.runId]: subjectOf(claimed),
    [spanAttributes.projectId]: projectId,
    [spanAttributes.webhookAttempt]: attempt,
  }
  return withWorkSpan(
    spanNames.tellWebhook,
    { service: 'webhook', trace, links: linkHere() },
    about,
    async () => {
      const result = await send()
      if (result.outcome.error !== null) failHere(result.outcome.error)
      return result
    },
  )
}

async function attempt(
  { gate, send, rules }: Ports,
  claimed: Claimed,
  secrets: SecretsHex,
): Promise<AttemptResult> {
  const sentAt = new Date()
  const message = { ...claimed, runId: subjectOf(claimed) }
  const body = bodyOf({ ...message, deliveredAt: sentAt.toISOString() })
  const outcome = await send(requestOf({ ...message, body, sentAt }, secrets))
  const endedAt = performance.now()
  const isFault = isFaultOfEndpoint(outcome)
  // A failed retry is not new evidence: the endpoint failed before.
  if (!isFault || claimed.attempt === 1) gate.record(claimed, isFault)
  return { claimed, outcome, verdict: judge(outcome, claimed.attempt, rules), endedAt }
}

async function record({ deliveries, publishSoon }: Ports, result: AttemptResult): Promise<Verdict> {
  const recorded = await deliveries.record(result)
  if (recorded !== null) {
    if (recorded.outboxId !== null) publishSoon(recorded.outboxId)
    count(result)
  }
  const { claimed, verdict, endedAt } = result
  if (verdict.state !== 'pending') return ack
  return remindIn(deliveries, claimed.runId, verdict.waitMs - (performance.now() - endedAt))
}
