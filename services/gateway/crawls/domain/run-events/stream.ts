/** The text of a stream of server-sent events (WHATWG HTML, 9.2): the selected events, and keep-alives. */
import type { StreamType } from '@tidemark/contracts/http/events'
import type { EventText } from './run-teller.ts'

/** Clients reconnect after a second. */
export const opening = 'retry: 1000\n\n'
const signOfLife = ':\n\n'

/** The event types that the query's `types` selects; all by default. */
export const typesOf = (asked: string | undefined): ReadonlySet<string> | null =>
  asked === undefined ? null : new Set(asked.split(','))

export type StreamOptions = {
  types: ReadonlySet<string> | null
  /** After this time without an event, a comment shows that the stream is alive. */
  heartbeatMs: number
  /** In milliseconds, never going back. */
  now: () => number
}

/** `batches` yields an empty list from time to time while nothing happens. */
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
