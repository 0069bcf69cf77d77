/**
 * Counts what the work queues delivered again, from outside: it listens to the inboxes that messages are delivered
 * to. A server that was killed may have forgotten its deliveries and call the second one the first, so messages are
 * known by their place and the moment they were stored. What is delivered while this connects anew is not counted:
 * a lower bound.
 */
import { type Bus, openBus } from '@tidemark/bus/connection'
import { streams } from '@tidemark/contracts/subjects'

export type Redeliveries = { close(): Promise<number> }

const queues: ReadonlySet<string> = new Set([streams.fetch, streams.pages])
const everyMs = 250

/** `urlNow` is where the server is; that changes when everything is started again. */
export function watchRedeliveries(urlNow: () => string | undefined): Redeliveries {
  const deliveries = new Deliveries()
  let bus: { url: string; opened: Bus } | null = null
  let connecting = Promise.resolve()
  const timer = setInterval(() => {
    connecting = connecting.then(follow).catch(() => {})
  }, everyMs)
  return {
    async close() {
      clearInterval(timer)
      await connecting
      await bus?.opened.close()
      return deliveries.again
    },
  }

  async function follow(): Promise<void> {
    const url = urlNow()
    if (url === undefined || bus?.url === url) return
    void bus?.opened.close()
    bus = { url, opened: await openBus({ url, name: 'chaos' }) }
    bus.opened.nc.subscribe('_INBOX.>', { callback: (_, { reply }) => deliveries.see(reply) })
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
