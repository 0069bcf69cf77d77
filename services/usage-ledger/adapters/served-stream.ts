/** SERVED, as far as it has to be kept: what is billed stands in USAGE, and is kept here for a while to be compared. */
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { storedMessage } from '@tidemark/bus/stored'
import { streams } from '@tidemark/contracts/subjects'

const limitMs = 5_000

/**
 * Lets go of what was stored before this time (in milliseconds since 1970), up to and with the sequence that is
 * billed. Messages leave the stream in no other way, so their times grow with their sequences; before what is missing
 * all the same it stops, or the loss would never be told.
 */
export async function shortenServed(bus: Bus, billed: number, before: number): Promise<void> {
  const call = <T>(request: () => Promise<T>) => persistently(bus.nc, limitMs, request)
  const { state } = await call(() => bus.jsm.streams.info(streams.served))
  const isOld = async (seq: number) => {
    const message = await storedMessage(bus, streams.served, { seq })
    return message !== null && message.time.getTime() < before
  }
  const end = Math.min(billed, state.last_seq) + 1
  // A stream that never had a message begins at 0, where none can be asked for.
  const seq = await firstThat(Math.max(1, state.first_seq), end, async seq => !(await isOld(seq)))
  if (seq > state.first_seq) await call(() => bus.jsm.streams.purge(streams.served, { seq }))
}

/** The first number from `from` on that holds, where all after it hold too; `end` where none before it does. */
async function firstThat(from: number, end: number, holds: (n: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [from, Math.max(from, end)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
