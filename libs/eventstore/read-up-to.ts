/** Reads what a stream has of some subjects up to a sequence that is known to be there, and no further. */
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage } from '@tidemark/bus/read'

type Stretch = {
  stream: string
  /** One or more subjects. */
  filter: string | string[]
  after: number
  /** The sequence of the last message of these subjects that is wanted. */
  upTo: number
}

/** Without a message for so long, reading has failed. */
const stallMs = 10_000

/** Hands over batches, one after the other. Throws when that last message does not come, or is there no more. */
export async function readUpTo(
  bus: Bus,
  { stream, filter, after, upTo }: Stretch,
  take: (messages: StreamMessage[]) => Promise<void>,
): Promise<void> {
  let reached = after
  const done = new AbortController()
  const stalled = setTimeout(() => done.abort(), stallMs)
  const reading = { stream, filter, from: after + 1, signal: done.signal, lingerMs: 0 }
  try {
    await readStream(bus, reading, async messages => {
      const wanted = messages.filter(({ sequence }) => sequence <= upTo)
      await take(wanted)
      reached = wanted.at(-1)?.sequence ?? reached
      stalled.refresh()
      if (reached === upTo || wanted.length < messages.length) done.abort()
    })
  } finally {
    clearTimeout(stalled)
  }
  if (reached !== upTo) throw new Error(`${filter} could not be read up to ${upTo}`)
}
