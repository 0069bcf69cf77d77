/**
 * Counts what the work queues delivered again, from outside: it listens to the inboxes that messages are delivered
 * to. A server that was killed may have forgotten its deliveries and call the second one the first, so messages are
 * known by their place and the moment they were stored. What is delivered while this connects anew is not counted:
 * a lower bound.
 */
import { streams } from '@tidemark/contracts/subjects'
import { followBus } from './follow.ts'

export type Redeliveries = { close(): Promise<number> }

const queues: ReadonlySet<string> = new Set([streams.fetch, streams.pages])
/** `urlNow` is where the server is; that changes when everything is started again. */
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

/** What was delivered, by the reply subject `$JS.ACK.stream.consumer.attempt.sequence.delivery.nanoseconds.pending`. */
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
