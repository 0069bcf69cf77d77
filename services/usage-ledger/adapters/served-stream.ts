/** Deletes old messages of SERVED. Billed ones are also in USAGE, and are kept here for a day for comparison. */
import type { Bus } from '@tidemark/bus/connection'
import { persistently } from '@tidemark/bus/link'
import { storedMessage } from '@tidemark/bus/stored'
import { streams } from '@tidemark/contracts/subjects'

const limitMs = 5_000

/** Returns the used part of SERVED, from 0 to 1; 0 without a limit. */
export async function fillOfServed({ nc, jsm }: Bus): Promise<number> {
  const { state, config } = await persistently(nc, limitMs, () => jsm.streams.info(streams.served))
  return config.max_bytes > 0 ? state.bytes / config.max_bytes : 0
}

/**
 * Deletes the messages that were stored before this time (in ms since 1970), up to and with the billed sequence.
 * Nothing else deletes messages, so their times grow with their sequences. A missing message ends the deletion, because
 * otherwise its loss would never be reported.
 */
export async function shortenServed(bus: Bus, billed: number, before: number): Promise<void> {
  const call = <T>(request: () => Promise<T>) => persistently(bus.nc, limitMs, request)
  const { state } = await call(() => bus.jsm.streams.info(streams.served))
  const isOld = async (seq: number) => {
    const message = await storedMessage(bus, streams.served, { seq })
    return message !== null && message.time.getTime() < before
  }
  const end = Math.min(billed, state.last_seq) + 1
  // A stream that never had a message begins at 0, which is not a valid sequence in a request.
  const seq = await firstThat(Math.max(1, state.first_seq), end, async seq => !(await isOld(seq)))
  if (seq > state.first_seq) await call(() => bus.jsm.streams.purge(streams.served, { seq }))
}

/**
 * Returns the first number from `from` to `end` for which `holds` is true, or `end`. Searches by bisection, so `holds`
 * must also be true for all numbers after the first one.
 */
async function firstThat(from: number, end: number, holds: (n: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [from, Math.max(from, end)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
