/** Asks the fetcher for one page now: this process has no way out of its own. */
import { ask, nobodyAnswers } from '@tidemark/bus/ask'
import type { Bulky } from '@tidemark/bus/bulky'
import type { Bus } from '@tidemark/bus/connection'
import { decodeFrame } from '@tidemark/bus/frame'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/ask/fetch'
import { asks } from '@tidemark/contracts/subjects'

export type Failed = Extract<FetchedNow, { is: 'failed' }>
/** `body` is as the origin sent it, still encoded; of a browser, what it made of it. */
export type Fetched = Omit<Extract<FetchedNow, { is: 'fetched' }>, 'bulkyKey' | 'picture'> & {
  body: Buffer
  /** PNG. */
  picture?: Buffer
}

/** Fails as `not_configured` where fetchers are there and none renders; rejects with a `Refusal` (`unavailable`) when none is there. */
export type FetchPage = (question: FetchNow) => Promise<Fetched | Failed>

/** For the way there and back, beside what the question allows. */
const travelMs = 1_500
/** For a fetcher to say that it is there. */
const presenceMs = 1_000

/** @param report told when a body stays in the object store, from where it goes with its age */
export function fetchByBus(bus: Bus, bulky: Bulky, report: (error: unknown) => void): FetchPage {
  return async question => {
    const subject = question.by?.backend === 'browser' ? asks.renderNow : asks.fetchNow
    const timeoutMs = question.timeoutMs + travelMs
    const { header, blobs } = await ask(bus, subject, question, { timeoutMs, decode: decodeFrame }).catch(
      error => unrendered(subject, error),
    )
    const answer = header as FetchedNow
    if (answer.is === 'failed') return answer
    const { bulkyKey, picture: travelled, ...fetched } = answer
    const [body, picture] = await Promise.all([
      blobOf(bulkyKey, blobs[0]),
      travelled === undefined ? undefined : blobOf(travelled.bulkyKey, blobs[1]),
    ])
    if (!body) return { is: 'failed', reason: 'protocol', message: 'The body was lost.', hops: fetched.hops }
    return { ...fetched, body, ...(picture && { picture }) }
  }

  /** A lane that nobody has is a setting, and lasts; fetchers that are all away come back. */
  async function unrendered(subject: string, error: unknown) {
    if (subject !== asks.renderNow || !nobodyAnswers(error)) throw error
    await ask(bus, asks.cloudState, null, { timeoutMs: presenceMs })
    return { header: withoutBrowser, blobs: [] }
  }

  /** Undefined where it was lost. */
  async function blobOf(key: string | null, sent: Uint8Array | undefined): Promise<Buffer | undefined> {
    const bytes = key === null ? sent : await bulky.get(key)
    if (key !== null) bulky.delete(key).catch(report)
    return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined
  }
}

const withoutBrowser: Failed = {
  is: 'failed',
  reason: 'not_configured',
  message: 'No fetcher of this installation renders pages: set FETCH_LANES of one to have browser.',
  hops: [],
}
