/** Reads a range of a stream to its end and then stops, for rebuilds. */
import type { Bus } from '@tidemark/bus/connection'
import { readStream, type StreamMessage } from '@tidemark/bus/read'
import { storedMessage } from '@tidemark/bus/stored'

export type StreamRange = {
  stream: string
  filter: string
  /** The first sequence. Default: 1. */
  from?: number
  /** The last sequence. */
  to: number
}

const pollIntervalMs = 500

/** Returns the sequence of the last message with this subject, which may have wildcards; 0 without one. */
export async function lastSequence(bus: Bus, stream: string, filter: string): Promise<number> {
  const last = await storedMessage(bus, stream, { last_by_subj: filter })
  return last?.seq ?? 0
}

/** Passes every message of the range in order, in batches. Throws the errors of `onBatch`. */
export async function replay(
  bus: Bus,
  { stream, filter, from = 1, to }: StreamRange,
  onBatch: (messages: StreamMessage[]) => Promise<void>,
): Promise<void> {
  let last = from - 1
  const isOver = async () => last >= to || (await lastSequence(bus, stream, filter)) <= last
  if (await isOver()) return

  const over = new AbortController()
  // Detects the end if the last message of the range is purged while the range is read.
  const poll = setInterval(async () => {
    if (await isOver().catch(() => false)) over.abort()
  }, pollIntervalMs)
  try {
    await readStream(bus, { stream, filter, from, signal: over.signal, lingerMs: 0 }, async messages => {
      const wanted = messages.filter(({ sequence }) => sequence <= to)
      if (wanted.length > 0) await onBatch(wanted)
      last = messages.at(-1)?.sequence ?? last
      if (last >= to) over.abort()
    })
  } finally {
    clearInterval(poll)
  }
}
