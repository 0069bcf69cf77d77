/**
 * One message of orders in; it is acked when everything that came of them has been published. A message that
 * comes again fetches only what had not been published before.
 */
import { ack, type Handler, nak } from '@tidemark/bus/verdict'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { Outbox } from '../adapters/outbox.ts'
import type { PublishedOrders } from '../adapters/published.ts'
import { fetchMessageName } from '../domain/names.ts'
import type { OwnHeaders } from '../domain/own-headers.ts'
import { strainOf } from '../domain/strain.ts'
import type { TakeTurn } from '../turns/turns.ts'
import type { FetchOne } from './fetch-page.ts'

type Ports = {
  takeTurn: TakeTurn
  /** How each kind of order is fetched. */
  fetch: Record<FetchOrder['kind'], FetchOne>
  outbox: Outbox
  published: PublishedOrders
  endedRuns: EndedRuns
  ownHeaders: OwnHeaders
  /** Ends requests under way; it comes a while after the delivery's own signal, which ends the waiting. */
  hardStop: AbortSignal
}

const none: ReadonlySet<number> = new Set()

export function fetchOrders(ports: Ports): Handler<FetchOrders> {
  const { takeTurn, fetch, outbox, published, endedRuns, ownHeaders, hardStop } = ports

  return async (work, { sequence, redelivered, signal }) => {
    const message = fetchMessageName(sequence, work)
    const before = redelivered ? await published.of(message) : none
    using run = endedRuns.watch(work.runId)
    const waiting = AbortSignal.any([signal, run.signal])
    const headers = ownHeaders(work)
    const fetching = AbortSignal.any([hardStop, run.signal])
    const ends = await Promise.allSettled(
      work.orders.map((order, index) => (before.has(index) ? null : carryOut(order, index))),
    )
    const failure = ends.find(end => end.status === 'rejected')
    if (failure === undefined || run.signal.aborted) return ack
    if (signal.aborted) return nak(0)
    throw failure.reason

    async function carryOut(order: FetchOrder, index: number): Promise<void> {
      const { runId, delayMs, concurrency } = work
      using turn = await takeTurn({
        runId,
        host: URL.parse(order.url)?.host ?? order.url,
        delayMs,
        concurrency,
        signal: waiting,
      })
      const told = { onSent: turn.sent, onAnswered: turn.answered }
      const result = await fetch[order.kind](work, order, { headers, ...told, signal: fetching })
      turn.ended(strainOf(result))
      const ref = { message, index }
      await ('page' in result
        ? outbox.page(result.page, result.body, ref)
        : outbox.outcome(result.outcome, ref))
    }
  }
}
