/**
 * A page fetched at once, for somebody who waits: it takes its turn at the host and its permits like every order,
 * and is given up when its time is over. What comes of it is the answer; nothing of it is kept.
 */
import { hash } from 'node:crypto'
import { encodeFrame } from '@tidemark/bus/frame'
import type { FetchedNow, FetchNow } from '@tidemark/contracts/ask/fetch'
import { toldHeaders } from '@tidemark/contracts/work/page'
import type { Fetched } from '@tidemark/http/fetch'
import { FetchError } from '@tidemark/http/fetch-error'
import { parseTarget } from '@tidemark/http/target'
import { urlKey } from '@tidemark/url/key'
import type { Fit } from '../adapters/fit.ts'
import { headersOf } from '../domain/headers-of.ts'
import { strainOf } from '../domain/strain.ts'
import type { TakeTurn } from '../turns/turns.ts'
import type { Ask, Asked } from './ask.ts'
import { failureOf } from './failures.ts'

/** What goes back: `FetchedNow` and the body as the origin sent it. */
export type Answered = { header: FetchedNow; body: Uint8Array }

type Ports = {
  ask: Ask
  takeTurn: TakeTurn
  fit: Fit
  /** Largest body that is fetched for anybody, in bytes as they come over the wire. */
  maxBytes: number
  /** Ends what is under way; it comes a while after the fetcher was told to stop. */
  hardStop: AbortSignal
}

/** Between two requests of one piece of work to a host, where it does not say (ms). */
const usualDelayMs = 100
/** Of one piece of work, where it does not say. */
const usualConcurrency = 4
const longestField = 1024
const nothing = Buffer.alloc(0)

export function answerFetch(ports: Ports): (question: FetchNow) => Promise<Answered> {
  return async question => {
    const inTime = AbortSignal.timeout(question.timeoutMs)
    try {
      const asked = await askInTurn(ports, question, AbortSignal.any([inTime, ports.hardStop]))
      return 'error' in asked ? failed(asked.error) : await fetched(ports.fit, question, asked.fetched)
    } catch (thrown) {
      return failed(inTime.aborted ? new FetchError('timeout', { cause: thrown }) : FetchError.from(thrown))
    }
  }
}

async function askInTurn(
  { ask, takeTurn, maxBytes }: Ports,
  question: FetchNow,
  signal: AbortSignal,
): Promise<Asked> {
  const { workId, url, timeoutMs, maxHops, cuts, userAgent } = question
  const { delayMs = usualDelayMs, concurrency = usualConcurrency } = question
  const { host } = parseTarget(url)
  using turn = await takeTurn({ runId: workId, host, delayMs, concurrency, signal })
  const order = { key: urlKey(url), attempt: 1 }
  const asked = await ask(url, {
    work: { runId: workId, ...(userAgent !== undefined && { userAgent }) },
    order,
    maxHops,
    maxBytes: Math.min(question.maxBytes, maxBytes),
    cuts,
    timeoutMs,
    headers: {},
    signal,
    onSent: turn.sent,
    onAnswered: turn.answered,
  })
  const attempt = { runId: workId, ...order }
  turn.ended(
    strainOf('error' in asked ? { outcome: failureOf(attempt, asked.error) } : { page: asked.fetched }),
  )
  return asked
}

async function fetched(fit: Fit, { workId }: FetchNow, answer: Fetched): Promise<Answered> {
  const { url, status, hops, headers, elapsedMs } = answer
  const { body, ...travel } = await fit(answer.body, answer.encodings, bulkyName(workId, url))
  const header: FetchedNow = {
    is: 'fetched',
    url,
    status,
    hops,
    contentType: headers['content-type']?.slice(0, longestField) ?? null,
    robotsHeader: headers['x-robots-tag']?.slice(0, longestField) ?? null,
    headers: headersOf(headers, toldHeaders),
    elapsedMs,
    ...travel,
  }
  return { header, body }
}

const bulkyName = (workId: number, url: string): string =>
  `now:${workId}:${hash('sha256', url, 'base64url').slice(0, 22)}`

const failed = ({ code, message, hops }: FetchError): Answered => ({
  header: { is: 'failed', reason: code, message, hops },
  body: nothing,
})

export const encodeAnswer = ({ header, body }: Answered): Uint8Array => encodeFrame(header, [body])
