/**
 * Hands orders to the fetchers. Publishing goes on in the background until it succeeds: an order that is in
 * the run's stream and not in FETCH is published again, under the same id, after a restart.
 */
import type { Bus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { currentTraceparent, inTrace } from '@tidemark/bus/trace'
import { type Lane, subjects } from '@tidemark/contracts/subjects'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'
import { lastSeen } from './last-seen.ts'
import type { AddValidators } from './revisits.ts'

export type OrderMessage = {
  id: string
  /** By what these are fetched. */
  lane: Lane
  orders: FetchOrders
  trace: string | undefined
  /** Keys of pages that need not be sent again if they are what the run `revisits.since` has. */
  known: readonly string[]
}
/** `unlessGiven` passes over what was given before: for who has read a run again, and cannot know what went out. */
export type SendOrders = (messages: OrderMessage[], how?: { unlessGiven: boolean }) => void

type Options = {
  bus: Bus
  addValidators: AddValidators
  signal: AbortSignal
  report: (error: unknown) => void
}

/** More than all runs of a process have out: FETCH itself knows a message again for ten minutes only. */
const mostGiven = 50_000

export function sendOrders({ bus, addValidators, signal, report }: Options): SendOrders {
  const given = lastSeen<string>(mostGiven)
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
