/**
 * Sends orders to the fetchers. Publishing continues in the background until it succeeds: an order that is in the
 * run's stream and not in FETCH is published again under the same id after a restart.
 */
import type { Bus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { currentTraceparent, inTrace } from '@tidemark/bus/trace'
import { type Lane, subjects } from '@tidemark/contracts/subjects'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { lastSeen } from './last-seen.ts'

export type OrderMessage = {
  id: string
  /** The lane of the fetchers: plain HTTP, or a browser. */
  lane: Lane
  orders: FetchOrders
  trace: string | undefined
  /** Keys of pages that the run `revisits.since` may have validators for. */
  known: readonly string[]
}
/** Returns the orders with validators. Never rejects. */
export type AddValidators = (message: OrderMessage) => Promise<FetchOrders>

/**
 * Sends orders in the background. `unlessGiven` skips orders that this process has sent before. Callers that have
 * read a run again use it, because they cannot know which orders were sent.
 */
export type SendOrders = (messages: OrderMessage[], how?: { unlessGiven: boolean }) => void

type Options = {
  bus: Bus
  addValidators: AddValidators
  signal: AbortSignal
  report: (error: unknown) => void
}

/**
 * Maximum recorded orders: more than a process has in flight. FETCH itself detects duplicates for ten minutes only.
 */
const maxGiven = 50_000

export function sendOrders({ bus, addValidators, signal, report }: Options): SendOrders {
  const given = lastSeen<string>(maxGiven)
  const underWay = new Set<string>()

  async function send(message: OrderMessage, trace: string | undefined): Promise<void> {
    const { id, lane, known } = message
    underWay.add(id)
    const orders = known.length > 0 ? await addValidators(message) : message.orders
    const payload = JSON.stringify(orders)
    const published = () => publish(bus, subjects.fetch(lane), payload, { id })
    await inTrace(trace, () => insist(published, { signal, report })).catch(report)
    underWay.delete(id)
  }

  return (messages, { unlessGiven } = { unlessGiven: false }) => {
    const decided = currentTraceparent()
    for (const message of messages) {
      if (underWay.has(message.id) || (unlessGiven && given.has(message.id))) continue
      given.add(message.id)
      void send(message, decided ?? message.trace)
    }
  }
}
