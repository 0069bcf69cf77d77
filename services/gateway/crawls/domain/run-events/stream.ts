/**
 * Writes a stream of server-sent events (WHATWG HTML, 9.2): the selected events, and comments that keep the connection
 * alive.
 */
import type { EventText } from './run-event-texts.ts'
import { Sampling } from './sampling.ts'

/** The first lines, which let clients reconnect after a second. */
export const opening = 'retry: 1000\n\n'
const keepAliveComment = ':\n\n'

/** Returns the event types and decisions that `types` of the query selects; null: all. */
export const typesOf = (requestedTypes: string | undefined): ReadonlySet<string> | null =>
  requestedTypes === undefined ? null : new Set(requestedTypes.split(','))

export type StreamOptions = {
  types: ReadonlySet<string> | null
  /** Maximum number of events of one kind and second; null: all are sent, each at once. */
  maxPerSecond: number | null
  /** Milliseconds without an event after which a comment is sent. */
  heartbeatMs: number
  /** A monotonic clock in milliseconds. */
  now: () => number
}

/** Yields the text. `batches` must yield an empty list from time to time while nothing happens. */
export async function* streamText(
  batches: AsyncIterable<readonly EventText[]>,
  { types, maxPerSecond, heartbeatMs, now }: StreamOptions,
): AsyncGenerator<string> {
  const isWanted = ({ type, decision }: EventText) =>
    types === null || types.has(type) || (decision !== null && types.has(decision))
  const sampling = maxPerSecond === null ? null : new Sampling(maxPerSecond, isWanted)
  let sentAt = now()
  for await (const batch of batches) {
    const text = textOf(sampling === null ? batch.filter(isWanted) : sampling.next(batch))
    const isSilent = batch.length === 0 && sampling === null
    if (text === '' && !isSilent && now() - sentAt < heartbeatMs) continue
    sentAt = now()
    yield text || keepAliveComment
  }
  const rest = textOf(sampling?.next([]) ?? [])
  if (rest !== '') yield rest
}

const textOf = (events: readonly EventText[]): string => events.map(({ text }) => text).join('')
