/**
 * Hands orders to the fetchers. Publishing goes on in the background until it succeeds: an order that is in
 * the run's stream and not in FETCH is published again, under the same id, after a restart.
 */
import type { Bus } from '@tidemark/bus/connection'
import { insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { inTrace } from '@tidemark/bus/trace'
import { subjects } from '@tidemark/contracts/subjects'
import type { FetchOrders } from '@tidemark/contracts/work/fetch'

export type OrderMessage = { id: string; orders: FetchOrders; trace: string | undefined }
export type SendOrders = (messages: OrderMessage[]) => void

type Options = { bus: Bus; signal: AbortSignal; report: (error: unknown) => void }

export function fetchOrders({ bus, signal, report }: Options): SendOrders {
  async function send({ id, orders, trace }: OrderMessage): Promise<void> {
    const payload = JSON.stringify(orders)
    const published = () => publish(bus, subjects.fetch('http'), payload, { id })
    await inTrace(trace, () => insist(published, { signal, report })).catch(report)
  }
  return messages => {
    for (const message of messages) void send(message)
  }
}
