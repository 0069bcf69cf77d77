/** Reads the messages of some subjects up to a sequence that is known to exist. */
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage } from '@tidemark/bus/read'

type Stretch = {
  stream: string
  /** One or more subjects. */
  filter: string | string[]
  after: number
  /** The sequence of the last message to read. */
  upTo: number
  /** Milliseconds without a message after which reading fails; 10 s by default. */
  stallMs?: number
}

const defaultStallMs = 10_000

/** Reports that the stream did not deliver the last message. */
export class ReadStalled extends Error {
  override readonly name = 'ReadStalled'
}

/** Delivers batches one after the other. Throws `ReadStalled` if the last message does not arrive or was deleted. */
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
      clearTimeout(stalled) // the caller's time does not count
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
