/** Asks the fetcher for one page now: this process has no way out of its own. */
import { ask } from '@tidemark/bus/ask'
import type { Bulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { decodeFrame } from '@tidemark/bus/frame'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/ask/fetch'
import { asks } from '@tidemark/contracts/subjects'

export type Failed = Extract<FetchedNow, { is: 'failed' }>
/** `body` is as the origin sent it, still encoded. */
export type Fetched = Omit<Extract<FetchedNow, { is: 'fetched' }>, 'bulkyKey'> & { body: Buffer }

/** Rejects with a `Refusal` (`unavailable`) when no fetcher is there. */
export type FetchPage = (question: FetchNow) => Promise<Fetched | Failed>

/** For the way there and back, beside what the question allows. */
const travelMs = 1_500

/** @param report told when a body stays in the object store, from where it goes with its age */
export function fetchByBus(bus: Bus, bulky: Bulky, report: (error: unknown) => void): FetchPage {
  return async question => {
    const { header, blobs } = await ask(bus, asks.fetchNow, question, {
      timeoutMs: question.timeoutMs + travelMs,
      decode: decodeFrame,
    })
    const answer = header as FetchedNow
    if (answer.is === 'failed') return answer
    const { bulkyKey, ...fetched } = answer
    const bytes = bulkyKey === null ? blobs[0] : await bulky.get(bulkyKey)
    if (bulkyKey !== null) bulky.delete(bulkyKey).catch(report)
    if (!bytes) return { is: 'failed', reason: 'protocol', message: 'The body was lost.', hops: fetched.hops }
    return { ...fetched, body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  }
}
