/**
 * Writes a stream of server-sent events (WHATWG HTML, 9.2): the selected events, and comments that keep the connection
 * alive.
 */
import type { StreamType } from '@tidemark/contracts/http/events'
import type { EventText } from './run-event-texts.ts'

/** The first lines, which let clients reconnect after a second. */
export const opening = 'retry: 1000\n\n'
const signOfLife = ':\n\n'

/** Returns the event types that `types` of the query selects; null: all. */
export const typesOf = (asked: string | undefined): ReadonlySet<string> | null =>
  asked === undefined ? null : new Set(asked.split(','))

export type StreamOptions = {
  types: ReadonlySet<string> | null
  /** Milliseconds without an event after which a comment is sent. */
  heartbeatMs: number
  /** A monotonic clock in milliseconds. */
  now: () => number
}

/** Yields the text. `batches` must yield an empty list from time to time while nothing happens. */
export async function* streamText(
  batches: AsyncIterable<readonly EventText[]>,
  { types, heartbeatMs, now }: StreamOptions,
): AsyncGenerator<string> {
  const isWanted = ({ type }: { type: StreamType }) => types === null || types.has(type)
  let saidAt = now()
  for await (const batch of batches) {
    const text = batch.map(event => (isWanted(event) ? event.text : '')).join('')
    const isQuiet = text === '' && (batch.length === 0 || now() - saidAt >= heartbeatMs)
    if (text === '' && !isQuiet) continue
    saidAt = now()
    yield text || signOfLife
  }
}
