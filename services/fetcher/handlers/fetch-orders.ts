/**
 * One message of orders in; it is acked when everything that came of them has been published. A message that
 * comes again fetches only what had not been published before. Where nothing can be published, what was read piles up to
 * a bound, and only then do requests wait.
 */
import { ack, type Handler, nak } from '@tidemark/bus/verdict'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { EndedRuns } from '../adapters/ended-runs.ts'
import type { Outbox } from '../adapters/outbox.ts'
import type { PublishedOrders } from '../adapters/published.ts'
import { fetchMessageName } from '../domain/names.ts'
import type { OwnHeaders } from '../domain/own-headers.ts'
import { isInOurName } from '../domain/own-name.ts'
import { strainOf } from '../domain/strain.ts'
import { openBodyRoom } from '../turns/body-room.ts'
import type { ByteBudget } from '../turns/byte-budget.ts'
import type { TakeTurn } from '../turns/turns.ts'
import type { Fetching } from './fetch-page.ts'

type Ports = {
  takeTurn: TakeTurn
  /** How each kind of order is fetched. */
  fetch: Record<FetchOrder['kind'], Fetching>
  /** For large bodies while they are read. */
  reading: ByteBudget
  /** For bodies that were read and are not yet published. */
  unpublished: ByteBudget
  outbox: Outbox
  published: PublishedOrders
  endedRuns: EndedRuns
  ownHeaders: OwnHeaders
  /** Ends requests under way; it comes a while after the delivery's own signal, which ends the waiting. */
  hardStop: AbortSignal
}

const none: ReadonlySet<number> = new Set()

export function fetchOrders(ports: Ports): Handler<FetchOrders> {
  const { takeTurn, fetch, reading, unpublished, outbox, published, endedRuns, ownHeaders, hardStop } = ports

  return async (work, { sequence, redelivered, signal }) => {
    const message = fetchMessageName(sequence, work)
    const before = redelivered ? await published.of(message) : none
    using run = endedRuns.watch(work.runId)
    const waiting = AbortSignal.any([signal, run.signal])
    const headers = ownHeaders(work)
    const fetching = AbortSignal.any([hardStop, run.signal])
    const guest = { ...guestOf(work), signal: waiting }
    const ends = await Promise.allSettled(
      work.orders.map((order, index) => (before.has(index) ? null : carryOut(order, index))),
    )
    const failure = ends.find(end => end.status === 'rejected')
    if (failure === undefined || run.signal.aborted) return ack
    if (signal.aborted) return nak(0)
    throw failure.reason

    async function carryOut(order: FetchOrder, index: number): Promise<void> {
      const { ask, tell } = fetch[order.kind]
      const { host, protocol } = URL.parse(order.url) ?? { host: order.url, protocol: '' }
      using turn = await takeTurn({ ...guest, host, protocol })
      using room = openBodyRoom(reading)
      const told = { onSent: turn.sent, onAnswered: turn.answered, room }
      const asked = await ask(work, order, { headers, ...told, signal: fetching })
      turn.ended(room.isWaiting ? null : strainOf(asked))
      using claim = unpublished.claim('error' in asked ? 0 : asked.fetched.body.byteLength)
      if (claim.granted) await claim.granted
      room[Symbol.dispose]()
      turn.landed()
      const result = await tell(work, order, asked)
      const ref = { message, index }
      await ('page' in result
        ? outbox.page(result.page, result.body, ref)
        : outbox.outcome(result.outcome, ref))
    }
  }
}

const guestOf = (work: FetchOrders) => {
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
