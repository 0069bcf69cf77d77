/**
 * Questions that are answered at once, over core NATS: nothing is stored, and an asker who hears nothing
 * is told so within its limit.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type Msg, type MsgHdrs, headers as newHeaders } from '@nats-io/transport-node'
import { context, SpanKind } from '@opentelemetry/api'
import { problems } from '@tidemark/contracts/problems'
import { spanNames } from '@tidemark/contracts/traces'
import { decodeJson, encodeJson } from './codec.ts'
import type { Bus } from './connection.ts'
import { isClustered } from './leader.ts'
import { ConnectionLost, connected, untilLost } from './link.ts'
import { Refusal, type Refused, refusalOf } from './refusal.ts'
import { extract, inject, inTrace, messaging, withSpan } from './trace.ts'

export { Refusal, refuse } from './refusal.ts'

/** What a handler may want to know beside the question. */
export type Asked = { subject: string; headers: MsgHdrs | undefined; signal: AbortSignal }

/** Which question it is that went wrong, and whose, where it says so. */
type AboutQuestion = { subject: string; run_id?: number; project_id?: number }

type Answering<Q, A> = {
  /** Throws `Unreadable` for what is no such question. */
  parse: (data: Uint8Array) => Q
  signal: AbortSignal
  report: (error: unknown, about?: AboutQuestion) => void
  /** How the answer goes over the wire, where that is not JSON. */
  encode?: (result: A) => Uint8Array
}

type Limit<A> = {
  timeoutMs: number
  /** Reads the answer, where that is not JSON. */
  decode?: (data: Uint8Array) => A
}

const refusedHeader = 'Refused'
const retryAfterSeconds = 2
const stopLimitMs = 8_000
/** Who loses its server of a cluster is back at another within this, and has heard no question meanwhile. */
const elsewhereMs = 1_500
const betweenTriesMs = 50

/**
 * Asks one of those who answer on the subject. Throws the `Refusal` that it answered, or `unavailable`
 * (503) when nobody is there or the limit has passed; the work may have been done all the same.
 */
export async function ask<Q, A>(
  bus: Bus,
  subject: string,
  question: Q,
  { timeoutMs, decode }: Limit<A>,
): Promise<A> {
  const attributes = messaging(bus, 'send', subject)
  const place = { kind: SpanKind.CLIENT, parent: context.active(), attributes }
  return withSpan(spanNames.ask(subject), place, async () => {
    const reply = await request(bus, subject, encodeJson(question ?? null), timeoutMs)
    if (reply.headers?.has(refusedHeader)) throw new Refusal(decodeJson(reply.data) as Refused)
    return decode ? decode(reply.data) : (decodeJson(reply.data) as A)
  })
}

/**
 * Answers what is asked on the subject, one of its queue at a time, from this call on. A handler refuses by
 * throwing a `Refusal`; anything else that it throws, and an `internal` of its own, is reported here and told as
 * `internal` without details.
 * Resolves when the signal has aborted and what was asked is answered, or 8 s later.
 */
export async function answer<Q, A>(
  bus: Bus,
  subject: string,
  queue: string,
  handler: (question: Q, asked: Asked) => Promise<A>,
  answering: Answering<Q, A>,
): Promise<void> {
  const { signal, report } = answering
  const underWay = new Set<Promise<void>>()
  const subscription = bus.nc.subscribe(subject, {
    queue,
    callback: (error, message) => {
      if (error) return report(error)
      const answered = respond(bus, message, handler, answering).finally(() => underWay.delete(answered))
      underWay.add(answered)
    },
  })
  const stopped = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  if (!signal.aborted) await Promise.race([stopped, bus.nc.closed()])

  const settled = subscription.drain().then(() => Promise.all(underWay))
  await Promise.race([settled.catch(() => {}), sleep(stopLimitMs, undefined, { ref: false })])
}

async function respond<Q, A>(
  bus: Bus,
  message: Msg,
  handler: (question: Q, asked: Asked) => Promise<A>,
  { parse, signal, report, encode = encodeJson }: Answering<Q, A>,
): Promise<void> {
  const { subject, headers } = message
  const attributes = messaging(bus, 'process', subject)
  const parent = inTrace(undefined, () => extract(headers))
  try {
    const place = { kind: SpanKind.SERVER, parent, attributes }
    const result = await withSpan(spanNames.answer(subject), place, () =>
      handler(parse(message.data), { subject, headers, signal }),
    )
    message.respond(result === undefined ? encodeJson(null) : encode(result))
  } catch (error) {
    refuse(message, error, told => report(told, about(message)))
  }
}

function refuse(message: Msg, error: unknown, report: (error: unknown) => void): void {
  const isMeant = error instanceof Refusal && error.code !== 'internal'
  if (!isMeant) report(error)
  const refusal = refusalOf(error)
  const headers = newHeaders()
  headers.set(refusedHeader, refusal.code)
  try {
    message.respond(encodeJson(refusal), { headers })
  } catch (unsendable) {
    report(unsendable)
  }
}

/** Also of a question that could not be read, as far as it is an object. */
function about({ subject, data }: Msg): AboutQuestion {
  const question = asObject(data)
  const [runId, projectId] = [Reflect.get(question, 'runId'), Reflect.get(question, 'projectId')]
  return {
    subject,
    ...(typeof runId === 'number' && { run_id: runId }),
    ...(typeof projectId === 'number' && { project_id: projectId }),
  }
}

function asObject(data: Uint8Array): object {
  try {
    return Object(decodeJson(data))
  } catch {
    return {}
  }
}

/** Whether a question was refused because nobody answers on its subject, and not because none did in time. */
export const nobodyAnswers = (error: unknown): boolean =>
  error instanceof Refusal && error.cause instanceof errors.RequestError && error.cause.isNoResponders()

function problem(code: 'unavailable'): Refused {
  const { status, says } = problems[code]
  return { status, code, message: says }
}

async function request(bus: Bus, subject: string, data: Uint8Array, timeoutMs: number): Promise<Msg> {
  const headers = newHeaders()
  inject(headers)
  const start = performance.now()
  const backBy = start + (isClustered(bus.nc) ? Math.min(elsewhereMs, timeoutMs) : 0)
  for (;;) {
    try {
      await connected(bus.nc, timeoutMs)
      const timeout = Math.max(1, timeoutMs - (performance.now() - start))
      return await untilLost(bus.nc, bus.nc.request(subject, data, { timeout, headers }))
    } catch (error) {
      if (!isAway(error)) throw error
      const refusal = new Refusal({ ...problem('unavailable'), retryAfterSeconds }, { cause: error })
      if (!nobodyAnswers(refusal) || performance.now() > backBy) throw refusal
      await sleep(betweenTriesMs)
    }
  }
}

const isAway = (error: unknown) =>
  error instanceof errors.TimeoutError ||
  error instanceof errors.RequestError ||
  error instanceof errors.ClosedConnectionError ||
  error instanceof errors.DrainingConnectionError ||
  error instanceof ConnectionLost
