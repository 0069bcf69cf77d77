/**
 * Publishes a share of all work a second time, up to some seconds later: what JetStream promises no more than not to
 * do often. The second one is a message of its own, so nothing but the handlers can tell that it is one.
 */

import { headers, type Msg } from '@nats-io/transport-node'
import type { Bus } from '@tidemark/bus/connection'
import { followBus } from './follow.ts'

export type Repeater = {
  /** How many were repeated. */
  close(): Promise<number>
}

const work = ['fetch.>', 'pages.>', 'outcomes.>', 'deliveries']
const mark = 'Chaos-Repeated'
const latestMs = 3_000

/** @param share of the messages, 0 to 1 */
export function startRepeater(
  urlNow: () => string | undefined,
  { share, chance }: { share: number; chance: () => number },
): Repeater {
  let repeated = 0
  const following = followBus(urlNow, bus => {
    for (const subject of work)
      bus.nc.subscribe(subject, { callback: (_, message) => consider(bus, message) })
  })
  return {
    async close() {
      await following.close()
      return repeated
    },
  }

  function consider(bus: Bus, message: Msg): void {
    if (share === 0 || message.headers?.has(mark) || chance() >= share) return
    const again = headers()
    for (const name of message.headers?.keys() ?? [])
      if (!name.startsWith('Nats-')) again.set(name, message.headers?.get(name) ?? '')
    again.set(mark, '1')
    setTimeout(() => {
      if (bus.nc.isClosed()) return
      bus.nc.publish(message.subject, message.data, { headers: again })
      repeated++
    }, chance() * latestMs)
  }
}
