/**
 * Sends and serves requests between services over core NATS. Nothing is stored. A caller without a response receives
 * an error within its timeout, and within two seconds if NATS itself is away or hangs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { errors, type Msg, type MsgHdrs, headers as newHeaders } from '@nats-io/transport-node'
import { context, SpanKind } from '@opentelemetry/api'
import { problems } from '@tidemark/contracts/problems'
import type { RequestOf, ResponseOf, Rpc } from '@tidemark/contracts/rpc/rpc'
import { spanNames } from '@tidemark/contracts/traces'
import { decodeJson, encodeJson } from './codec.ts'
import type { Bus } from './connection.ts'
import { type Ids, idsIn } from './ids.ts'
import { isClustered } from './leader.ts'
import { ConnectionLost, connected, untilLost } from './link.ts'
import { awayBecause, Refusal, type Refused, refusalOf } from './refusal.ts'
import { subscribeLastingly } from './requests/lasting-subscription.ts'
import { whileAnswering } from './requests/pulse.ts'
import { encodeResponse, requestDecoder, responseDecoder } from './requests/rpc-codec.ts'
import { extractTraceContext, injectTraceContext, inTrace, messaging, withSpan } from './trace.ts'

/** `signal` aborts when the server stops. */
type RequestContext = { subject: string; headers: MsgHdrs | undefined; signal: AbortSignal }

type Handler<Procedure extends Rpc, Result> = (
  request: RequestOf<Procedure>,
  context: RequestContext,
) => Promise<Result>

/** Names the request that failed, with its run and its project where the request has them. */
type AboutRequest = Ids & { subject: string }

type ServeOptions = {
  /** Stops the server. */
  signal: AbortSignal
  report: (error: unknown, about?: AboutRequest) => void
}

const refusedHeader = 'Refused'
const retryAfterSeconds = 2
const stopLimitMs = 8_000
/** Maximum milliseconds to wait for a lost connection: a NATS server that restarts is back within this time. */
const reconnectMs = 1_200
/** Milliseconds within which a service of a cluster that loses its NATS server has connected to another. */
const reconnectToOtherMs = 1_500
const betweenTriesMs = 50

/**
 * Sends a request to one instance of the procedure's server and returns its response. Throws the `Refusal` of the
 * server, `Unreadable` for a response that does not match its schema, or `unavailable` (503) when no instance is
 * there, NATS is away or hangs, or the timeout has passed. The server may nevertheless have completed the work.
 */
export async function call<Procedure extends Rpc>(
  bus: Bus,
  rpc: Procedure,
  request: RequestOf<Procedure>,
  { timeoutMs }: { timeoutMs: number },
): Promise<ResponseOf<Procedure>> {
  const { subject } = rpc
  const attributes = messaging(bus, 'send', subject)
  const span = { kind: SpanKind.CLIENT, parent: context.active(), attributes }
  return withSpan(spanNames.ask(subject), span, async () => {
    const reply = await exchange(bus, subject, encodeJson(request ?? null), timeoutMs)
    if (reply.headers?.has(refusedHeader)) throw new Refusal(decodeJson(reply.data) as Refused)
    return responseDecoder(rpc)(reply.data)
  })
}

/** Sends a request without waiting for its response. The request may be lost. */
export const sendWithoutResponse = <Procedure extends Rpc>(
  bus: Bus,
  { subject }: Procedure,
  request: RequestOf<Procedure>,
): void => bus.nc.publish(subject, encodeJson(request))

/**
 * Serves the procedure from this call on, together with the server's other instances. A handler refuses by throwing a
 * `Refusal`. Anything else that it throws, and an `internal` of its own, is reported here and sent as `internal`
 * without details. While NATS rejects the subscription, the service is not ready, and it is tried again. Resolves when
 * the signal has aborted and the received requests have their responses, or 8 s later.
 */
export const serve = <Procedure extends Rpc>(
  bus: Bus,
  rpc: Procedure,
  handler: Handler<Procedure, ResponseOf<Procedure>>,
  options: ServeOptions,
): Promise<void> => serving(bus, rpc, handler, response => encodeResponse(rpc, response), options)

/** Serves like `serve`, for a handler that encodes its response itself, by the procedure's codec. */
export const serveEncoded = <Procedure extends Rpc>(
  bus: Bus,
  rpc: Procedure,
  handler: Handler<Procedure, Uint8Array>,
  options: ServeOptions,
): Promise<void> => serving(bus, rpc, handler, encoded => encoded, options)

async function serving<Procedure extends Rpc, Result>(
  bus: Bus,
  rpc: Procedure,
  handler: Handler<Procedure, Result>,
  encode: (result: Result) => Uint8Array,
  { signal, report }: ServeOptions,
): Promise<void> {
  const decode = requestDecoder(rpc)
  const work = ({ data, subject, headers }: Msg) => handler(decode(data), { subject, headers, signal })
  const underWay = new Set<Promise<void>>()
  const drain = subscribeLastingly(bus.nc, {
    subject: rpc.subject,
    queue: rpc.server,
    report,
    take: message => {
      const responded = respond(bus, message, work, encode, report).finally(() => underWay.delete(responded))
      underWay.add(responded)
    },
  })
  const stopped = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  if (!signal.aborted) await Promise.race([stopped, bus.nc.closed()])

  // A subscription that NATS has rejected cannot be drained, but the requests that it received continue.
  const settled = drain()
    .catch(() => {})
    .then(() => Promise.all(underWay))
  await Promise.race([settled.catch(() => {}), sleep(stopLimitMs, undefined, { ref: false })])
}

async function respond<Result>(
  bus: Bus,
  message: Msg,
  work: (message: Msg) => Promise<Result>,
  encode: (result: Result) => Uint8Array,
  report: ServeOptions['report'],
): Promise<void> {
  const { subject, headers } = message
  const attributes = messaging(bus, 'process', subject)
  const parent = inTrace(undefined, () => extractTraceContext(headers))
  try {
    const span = { kind: SpanKind.SERVER, parent, attributes }
    const result = await withSpan(spanNames.answer(subject), span, () => work(message))
    message.respond(encode(result))
  } catch (error) {
    respondRefused(message, error, unexpected => report(unexpected, about(message)))
  }
}

function respondRefused(message: Msg, error: unknown, report: (error: unknown) => void): void {
  const isExpected = error instanceof Refusal && error.code !== 'internal'
  if (!isExpected) report(error)
  const refusal = refusalOf(error)
  const headers = newHeaders()
  headers.set(refusedHeader, refusal.code)
  try {
    message.respond(encodeJson(refusal), { headers })
  } catch (unsendable) {
    report(unsendable)
  }
}

/** Returns the identity of a request for reports, even if the request does not match its schema. */
function about({ subject, data }: Msg): AboutRequest {
  try {
    return { subject, ...idsIn(decodeJson(data)) }
  } catch {
    return { subject }
  }
}

/** Returns whether a call was refused because no server is there, and not because none responded in time. */
export const hasNoServer = (error: unknown): boolean =>
  error instanceof Refusal && error.cause instanceof errors.RequestError && error.cause.isNoResponders()

/** Returns the refusal of a call without a response. It names NATS if NATS is away, else it gives no reason. */
function unavailable(error: unknown): Refused {
  const { status, message: unavailable } = problems.unavailable
  const message = error instanceof ConnectionLost ? awayBecause('nats_away') : unavailable
  return { status, code: 'unavailable', message }
}

async function exchange(bus: Bus, subject: string, data: Uint8Array, timeoutMs: number): Promise<Msg> {
  const headers = newHeaders()
  injectTraceContext(headers)
  const start = performance.now()
  const backBy = start + (isClustered(bus.nc) ? Math.min(reconnectToOtherMs, timeoutMs) : 0)
  for (;;) {
    try {
      await connected(bus.nc, Math.min(timeoutMs, reconnectMs))
      const timeout = Math.max(1, timeoutMs - (performance.now() - start))
      return await whileAnswering(bus.nc, () =>
        untilLost(bus.nc, bus.nc.request(subject, data, { timeout, headers })),
      )
    } catch (error) {
      if (!isAway(error)) throw error
      const refusal = new Refusal({ ...unavailable(error), retryAfterSeconds }, { cause: error })
      if (!hasNoServer(refusal) || performance.now() > backBy) throw refusal
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
