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
  /** Without a message for so long, reading has failed; 10 s by default. */
  stallMs?: number
}

const defaultStallMs = 10_000

/** The stream did not come to the message that it was read for. */
export class ReadStalled extends Error {
  override readonly name = 'ReadStalled'
}

/** Hands over batches, one after the other. Throws `ReadStalled` when that last message does not come, or is there no more. */
export async function readUpTo(
  bus: Bus,
  { stream, filter, after, upTo, stallMs = defaultStallMs }: Stretch,
  take: (messages: StreamMessage[]) => Promise<void>,
): Promise<void> {
  let reached = after
  const done = new AbortController()
  const watch = () => setTimeout(() => done.abort(), stallMs)
  let stalled = watch()
  const reading = { stream, filter, from: after + 1, signal: done.signal, lingerMs: 0 }
  try {
    await readStream(bus, reading, async messages => {
      const wanted = messages.filter(({ sequence }) => sequence <= upTo)
      clearTimeout(stalled) // the taker's time is his own
      await take(wanted)
      stalled = watch()
      reached = wanted.at(-1)?.sequence ?? reached
      if (reached === upTo || wanted.length < messages.length) done.abort()
    })
  } finally {
    clearTimeout(stalled)
  }
  if (reached !== upTo) throw new ReadStalled(`${filter} could not be read up to ${upTo}`)
}
