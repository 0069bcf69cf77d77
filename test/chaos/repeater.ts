/**
 * Publishes a share of all work messages a second time, up to 3 s later. JetStream only promises that duplicates are
 * rare. The copy is a message of its own, so only the handlers can detect the duplicate.
 */
import { hash } from 'node:crypto'
import type { Bus } from '@tidemark/bus/connection'
import { followBus } from './follow.ts'

export type Repeater = {
  /** Returns the number of repeated messages. */
  close(): Promise<number>
}

const work = ['fetch.>', 'pages.>', 'outcomes.>', 'deliveries']
const latestMs = 3_000

/**
 * Starts the repeater.
 * @param share of the messages, 0 to 1
 */
export function startRepeater(
  urlNow: () => string | undefined,
  { share, chance }: { share: number; chance: () => number },
): Repeater {
  /** The subscription also receives the copies, which must not be repeated again. */
  const ours = new Set<string>()
  let repeated = 0
  const following = followBus(urlNow, bus => {
    for (const subject of work) {
      bus.nc.subscribe(subject, { callback: (_, message) => consider(bus, message.subject, message.data) })
    }
  })
  return {
    async close() {
      await following.close()
      return repeated
    },
  }

  function consider(bus: Bus, subject: string, data: Uint8Array): void {
    if (share === 0) return
    const name = `${subject} ${hash('sha256', data)}`
    if (ours.delete(name) || chance() >= share) return
    setTimeout(() => {
      if (bus.nc.isClosed()) return
      ours.add(name)
      bus.nc.publish(subject, data)
      repeated++
    }, chance() * latestMs)
  }
}
