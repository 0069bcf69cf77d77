/**
 * Counts what the work queues delivered again, from outside: a consumer numbers deliveries and messages apart, and
 * the difference is what came twice. A server that was killed may have forgotten deliveries, so the count is a
 * lower bound, read often and added up between the server's deaths.
 */
import { type Bus, openBus } from '@tidemark/bus/connection'
import { consumers, streams } from '@tidemark/contracts/subjects'

export type Redeliveries = { close(): Promise<number> }

const queues = [
  [streams.fetch, consumers.fetcher('http')],
  [streams.pages, consumers.extractor],
] as const
const everyMs = 250

/** `urlNow` is where the server is; that changes when everything is started again. */
export function watchRedeliveries(urlNow: () => string | undefined): Redeliveries {
  const counts = queues.map(() => new RisingCount())
  let bus: { url: string; opened: Bus } | null = null
  let reading = Promise.resolve()
  const timer = setInterval(() => {
    reading = reading.then(read).catch(() => {})
  }, everyMs)
  return {
    async close() {
      clearInterval(timer)
      await reading
      await bus?.opened.close()
      return counts.reduce((sum, { total }) => sum + total, 0)
    },
  }

  async function read(): Promise<void> {
    const url = urlNow()
    if (url === undefined) return
    if (bus?.url !== url) {
      void bus?.opened.close()
      bus = { url, opened: await openBus({ url, name: 'chaos' }) }
    }
    for (const [n, [stream, consumer]] of queues.entries()) {
      const again = await deliveredAgain(bus.opened, stream, consumer)
      if (again !== null) counts[n]?.read(again)
    }
  }
}

/** Null while the server is away. */
async function deliveredAgain(bus: Bus, stream: string, consumer: string): Promise<number | null> {
  const info = await bus.jsm.consumers.info(stream, consumer).catch(() => null)
  return info === null ? null : Math.max(0, info.delivered.consumer_seq - info.delivered.stream_seq)
}

/** What a counter that may fall has risen by in all. */
class RisingCount {
  total = 0
  #last = 0

  read(value: number): void {
    this.total += Math.max(0, value - this.#last)
    this.#last = value
  }
}
