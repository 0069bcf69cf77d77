/** Stays connected to a NATS server that may die and come back at another address. */
import { type Bus, openBus } from '@tidemark/bus/connection'

const everyMs = 250

/**
 * Calls `begin` for each new connection.
 * @param urlNow returns the server's address, which changes when everything is started again
 */
export function followBus(urlNow: () => string | undefined, begin: (bus: Bus) => void) {
  let bus: { url: string; opened: Bus } | null = null
  let connecting = Promise.resolve()
  const timer = setInterval(() => {
    connecting = connecting.then(follow).catch(() => {})
  }, everyMs)

  async function follow(): Promise<void> {
    const url = urlNow()
    if (url === undefined || bus?.url === url) return
    void bus?.opened.close()
    bus = { url, opened: await openBus({ url, name: 'chaos' }) }
    begin(bus.opened)
  }

  return {
    async close(): Promise<void> {
      clearInterval(timer)
      await connecting
      await bus?.opened.close()
    },
  }
}
