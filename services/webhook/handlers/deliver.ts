/**
 * One reminder of a delivery in; at most one attempt out. The row is the truth: what is not due is told to come
 * again when it is, what is claimed by another is left to it, and what has ended is done.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { failHere, linkHere, withWorkSpan } from '@tidemark/bus/trace'
import { ack, type Handler, nak, type Verdict } from '@tidemark/bus/verdict'
import { spanAttributes, spanNames } from '@tidemark/contracts/traces'
import type { Delivery } from '@tidemark/contracts/work/delivery'
import { counter, histogram } from '@tidemark/telemetry/metrics'
import type { Claimed, Deliveries, Told } from '../adapters/deliveries.ts'
import { nearlyMs } from '../adapters/delivery-statements.ts'
import type { Receiver } from '../adapters/receiver.ts'
import type { SecretsHex } from '../adapters/secrets.ts'
import { bodyOf } from '../domain/message.ts'
import { requestOf } from '../domain/request.ts'
import { isFaultOfEndpoint, judge, type Rules } from '../domain/verdict.ts'
import type { Gate } from '../turns/gate.ts'

export type Ports = {
  deliveries: Deliveries
  gate: Gate
  secretsOf: (projectId: number) => Promise<SecretsHex>
  send: Receiver
  rules: Rules
  /** Told when a receiver has answered (`isWell`: as it should), or nothing more is under way for a delivery. */
  ended: (runId: number, isWell: boolean) => void
  /** Makes the events of a commit of rows visible at once. */
  publishSoon: (outboxId: number) => void
}

/** The queue is asked for it so much too early, and all is made ready: queues are not exact, and a wait is a promise. */
const earlyMs = nearlyMs / 2
const putOffMs = 1_000

export function deliver(ports: Ports): Handler<Delivery> {
  const { deliveries, gate, secretsOf, rules, ended } = ports
  return async ({ runId }) => {
    using _ = { [Symbol.dispose]: () => ended(runId, false) }
    const due = await deliveries.find(runId)
    if (due === null) return ack
    if (due.dueInMs > nearlyMs) return comeAgain(due.dueInMs)
    const dueAt = performance.now() + due.dueInMs
    const isRetry = due.attempts > 0
    using room = await gate.enter({ projectId: due.projectId, host: due.host, isRetry })
    if (room === null) {
      await deliveries.postpone(runId, putOffMs * (1 + rules.chance()))
      return ack
    }
    const secrets = await secretsOf(due.projectId)
    if (due.isSending) {
      await until(dueAt)
      await deliveries.recordInterrupted(runId)
    }
    const claimed = await deliveries.claim(runId)
    if (claimed === null) return lookAgain(deliveries, runId)
    await until(dueAt)
    const told = await traced(claimed, () => attempt(ports, claimed, secrets))
    // Its receiver has answered: what is left is no matter of its place.
    room[Symbol.dispose]()
    ended(runId, !isFaultOfEndpoint(told.outcome))
    return record(ports, told)
  }
}

const attempted = histogram('tidemark.webhook.attempt.seconds')
const endings = counter('tidemark.webhook.deliveries')

function count({ outcome, verdict }: Told): void {
  const { status, error, isRefused, elapsedMs } = outcome
  const failed = isRefused ? 'refused' : status === null ? 'no_answer' : `http_${Math.floor(status / 100)}xx`
  attempted(elapsedMs / 1_000, { result: error === null ? 'delivered' : failed })
  if (verdict.state !== 'pending') endings(1, { state: verdict.state })
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

/** In the trace of the run, whoever put it into the queue. */
function traced({ runId, projectId, attempt, trace }: Claimed, tell: () => Promise<Told>): Promise<Told> {
  const about = {
    [spanAttributes.runId]: runId,
    [spanAttributes.projectId]: projectId,
    [spanAttributes.webhookAttempt]: attempt,
  }
  return withWorkSpan(
    spanNames.tellWebhook,
    { service: 'webhook', trace, links: linkHere() },
    about,
    async () => {
      const told = await tell()
      if (told.outcome.error !== null) failHere(told.outcome.error)
      return told
    },
  )
}

async function attempt({ gate, send, rules }: Ports, claimed: Claimed, secrets: SecretsHex): Promise<Told> {
  const sentAt = new Date()
  const body = bodyOf({ ...claimed, deliveredAt: sentAt.toISOString() })
  const outcome = await send(requestOf({ ...claimed, body, sentAt }, secrets))
  const endedAt = performance.now()
  const isFault = isFaultOfEndpoint(outcome)
  // A retry that fails says little: it is only there because its endpoint failed before.
  if (!isFault || claimed.attempt === 1) gate.note(claimed.host, isFault)
  return { claimed, outcome, verdict: judge(outcome, claimed.attempt, rules), endedAt }
}

async function record({ deliveries, publishSoon }: Ports, told: Told): Promise<Verdict> {
  const outboxId = await deliveries.record(told)
  if (outboxId !== null) {
    publishSoon(outboxId)
    count(told)
  }
  const { verdict, endedAt } = told
  return verdict.state === 'pending' ? comeAgain(verdict.waitMs - (performance.now() - endedAt)) : ack
}
