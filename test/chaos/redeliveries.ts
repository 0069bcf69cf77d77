/**
 * Counts redeliveries of the work queues from outside: it subscribes to the inboxes that receive the messages. A killed
 * server may lose its delivery state and count the second delivery as the first, so messages are identified by their
 * sequence number and store time. Deliveries during a reconnect are missed, so the count is a lower bound.
 */
import { streams } from '@tidemark/contracts/subjects'
import { followBus } from './follow.ts'

export type Redeliveries = { close(): Promise<number> }

const queues: ReadonlySet<string> = new Set([streams.fetch, streams.pages])
/** Starts the count. `urlNow` returns the server's address, which changes when everything is started again. */
export function watchRedeliveries(urlNow: () => string | undefined): Redeliveries {
  const deliveries = new Deliveries()
  const following = followBus(urlNow, bus => {
    bus.nc.subscribe('_INBOX.>', { callback: (_, { reply }) => deliveries.see(reply) })
  })
  return {
    async close() {
      await following.close()
      return deliveries.again
    },
  }
}

/**
 * Counts repeated deliveries by their reply subjects
 * `$JS.ACK.stream.consumer.attempt.sequence.delivery.nanoseconds.pending`.
 */
export class Deliveries {
  again = 0
  readonly #seen = new Set<string>()

  see(reply: string | undefined): void {
    const [js, ack, stream = '', consumer, attempt, sequence, , storedAt] = (reply ?? '').split('.')
    if (js !== '$JS' || ack !== 'ACK' || !queues.has(stream)) return
    const message = `${stream} ${consumer} ${sequence} ${storedAt}`
    if (Number(attempt) > 1 || this.#seen.has(message)) this.again++
    this.#seen.add(message)
  }
}
