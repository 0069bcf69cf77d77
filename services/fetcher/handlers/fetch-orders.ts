/**
 * Handles one message of orders. The message is acknowledged when all its outcomes are published. A redelivered
 * message fetches only what was not published before. If publishing fails, bodies that were read accumulate up to a
 * limit. Only then do further requests wait.
 */
import { ack, type Handler, nak } from '@tidemark/bus/verdict'
import type { SessionCookie } from '@tidemark/contracts/login/session'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { maxCrawlDelayMs } from '@tidemark/robots/crawl-delay'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { Outbox } from '../adapters/outbox.ts'
import type { PublishedOrders } from '../adapters/published.ts'
import { openBodyMemory } from '../concurrency/body-memory.ts'
import type { ByteBudget } from '../concurrency/byte-budget.ts'
import type { AcquireSendPermit } from '../concurrency/request-scheduler.ts'
import { fetchMessageName } from '../domain/names.ts'
import type { OwnHeaders } from '../domain/own-headers.ts'
import { isInOurName } from '../domain/own-name.ts'
import { strainOf } from '../domain/strain.ts'
import { type Fetching, orderedPageOf } from './fetch-page.ts'

type Ports = {
  acquireSendPermit: AcquireSendPermit
  /** The fetch function of each kind of order. */
  fetch: Record<FetchOrder['kind'], Fetching>
  /** The memory budget of large bodies while they are read. */
  reading: ByteBudget
  /** The memory budget of bodies that were read and are not yet published. */
  unpublished: ByteBudget
  outbox: Outbox
  published: PublishedOrders
  endedRuns: EndedRuns
  ownHeaders: OwnHeaders
  /** Returns the cookies of the run's login. */
  sessionOf: (work: FetchOrders) => readonly SessionCookie[]
  /** Aborts requests in flight, a while after the signal of the delivery has ended the waiting for slots. */
  hardStop: AbortSignal
}

const none: ReadonlySet<number> = new Set()
const emptyBody = new Uint8Array()

export function fetchOrders(ports: Ports): Handler<FetchOrders> {
  const { published, endedRuns, hardStop } = ports
  return async (work, { sequence, redelivered, signal }) => {
    const message = fetchMessageName(sequence, work)
    const before = redelivered ? await published.of(message) : none
    using run = endedRuns.watch(work.runId)
    const delivery: Delivery = {
      work,
      message,
      headers: ports.ownHeaders(work),
      session: ports.sessionOf(work),
      waiting: AbortSignal.any([signal, run.signal]),
      fetching: AbortSignal.any([hardStop, run.signal]),
    }
    const ends = await Promise.allSettled(
      work.orders.map((order, index) =>
        before.has(index) ? null : fetchOrder(ports, delivery, order, index),
      ),
    )
    const failure = ends.find(end => end.status === 'rejected')
    if (failure === undefined || run.signal.aborted) return ack
    if (signal.aborted) return nak(0)
    throw failure.reason
  }
}

/** One delivery of a message, and the parts that all its orders share. */
type Delivery = {
  work: FetchOrders
  /** Name of the message. */
  message: string
  headers: Record<string, string>
  session: readonly SessionCookie[]
  /** Ends the waiting for slots. */
  waiting: AbortSignal
  /** Aborts requests in flight. */
  fetching: AbortSignal
}

/** Carries out one order of a delivery. Resolves when its result is published. */
async function fetchOrder(ports: Ports, delivery: Delivery, order: FetchOrder, index: number): Promise<void> {
  const { acquireSendPermit, reading, unpublished, outbox } = ports
  const { work, message, headers, session, waiting, fetching } = delivery
  const ref = { message, index }
  if (order.stored) {
    waiting.throwIfAborted()
    await outbox.page(storedPageOf(work, order, order.stored), emptyBody, ref)
    return
  }
  const { send, toResult } = ports.fetch[order.kind]
  const { host, protocol } = URL.parse(order.url) ?? { host: order.url, protocol: '' }
  using permit = await acquireSendPermit({
    ...slotClaimOf(work),
    ...(order.kind === 'robots' && untilRobotsAreRead),
    ...{ signal: waiting, host, protocol },
  })
  using bodyMemory = openBodyMemory(reading)
  const listener = { onSent: permit.sent, onResponse: permit.responseBegan, bodyMemory }
  const response = await send(work, order, { headers, session, ...listener, signal: fetching })
  permit.ended(bodyMemory.isWaiting ? null : strainOf(response))
  using claim = unpublished.claim('error' in response ? 0 : response.fetched.body.byteLength)
  if (claim.granted) await claim.granted
  bodyMemory[Symbol.dispose]()
  permit.landed()
  const result = await toResult(work, order, response)
  await ('page' in result ? outbox.page(result.page, result.body, ref) : outbox.outcome(result.outcome, ref))
}

/**
 * Part of the slot claim of a robots.txt. The run learns the crawl delay of the host only from this file. Until then,
 * the next request at the host keeps its own delay in full, however long it is.
 */
const untilRobotsAreRead = { gapMs: maxCrawlDelayMs }

const slotClaimOf = (work: FetchOrders) => {
  const { runId, projectId, delayMs, concurrency } = work
  return {
    runId,
    delayMs,
    concurrency,
    tenant: projectId,
    isAwaited: false,
    isInOurName: isInOurName(work),
  }
}

/**
 * Returns the page of an order that is taken from the store, without its body, which the extractor reads. It travels
 * like a fetched page, so that the run receives its links and outcomes in one way.
 */
const storedPageOf = (
  work: FetchOrders,
  order: FetchOrder,
  { runId: storedIn, status, fetchedAt, rendered }: NonNullable<FetchOrder['stored']>,
): FetchedPage => ({
  ...orderedPageOf(work, order),
  ...{ storedIn, status, fetchedAt },
  ...(rendered && { rendered }),
  ...{ contentType: null, encodings: [], robotsHeader: null, elapsedMs: 0, bulkyKey: null },
})
