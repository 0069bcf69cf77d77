/**
 * One page ordered, and what came of it: the page with its body as the origin sent it, or an outcome for the
 * run where there is none. Whether a failure is tried again is the run's decision.
 */
import { currentTraceparent } from '@tidemark/bus/trace'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { type FetchedPage, markHeaders } from '@tidemark/contracts/work/page'
import type { Fetched } from '@tidemark/http/fetch'
import { locationOf } from '@tidemark/http/redirect'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { Fit } from '../adapters/fit.ts'
import { answerOf } from '../domain/answer.ts'
import { headersOf } from '../domain/headers-of.ts'
import { orderName } from '../domain/names.ts'
import type { Ask, Asked, AskOptions } from './ask.ts'
import { failureOf, noRoomOf, throttledOf } from './failures.ts'

export type Result = { page: FetchedPage; body: Uint8Array } | { outcome: Outcome }

/** How one kind of order is carried out: first its host is asked, and when that is free again, what came is made ready. */
export type Fetching = {
  /** Rejects only when the fetch was called off. */
  ask(
    work: FetchOrders,
    order: FetchOrder,
    /** What the run sends besides ours, what is told of the request meanwhile, and what ends it. */
    request: Pick<AskOptions, 'headers' | 'onSent' | 'onAnswered' | 'room' | 'signal'>,
  ): Promise<Asked>
  /** Rejects only when the fetcher is being stopped. */
  tell(work: FetchOrders, order: FetchOrder, asked: Asked): Promise<Result>
}

const longestField = 1024
const mostSelfRedirects = 5

export const fetchPage = ({ ask, fit }: { ask: Ask; fit: Fit }): Fetching => ({
  ask: (...wanted) => askForPage(ask, ...wanted),
  async tell(work, order, asked) {
    const attempt = { runId: work.runId, key: order.key, attempt: order.attempt }
    if ('error' in asked) return { outcome: failureOf(attempt, asked.error) }
    const { fetched, backOffMs } = asked
    const location = locationOf(fetched.status, fetched.headers)
    const answer = answerOf({ url: fetched.url, location, backOffMs, attempt: order.attempt })
    switch (answer.is) {
      case 'redirect':
        return { outcome: { type: 'redirect', ...attempt, to: answer.to } }
      case 'throttled':
        return { outcome: throttledOf(attempt, answer.retryAfterMs) }
      case 'page': {
        const travelling = await fit(fetched.body, fetched.encodings, orderName(attempt))
        if (travelling === null) return { outcome: noRoomOf(attempt) }
        const { body, ...travel } = travelling
        return { page: { ...pageOf(work, order, fetched), ...travel }, body }
      }
    }
  },
})

/**
 * Asks for a page. A redirect that only adds what the URL's normal form leaves out, such as a tracking
 * parameter, leads to the same page and is followed here: to the run it would be a circle.
 */
async function askForPage(ask: Ask, ...[work, order, request]: Parameters<Fetching['ask']>): Promise<Asked> {
  const { key, url } = order
  const asked = new Set<string>()
  for (let at = url; ; ) {
    asked.add(at)
    const answer = await ask(at, { work, order, maxHops: 0, ...request })
    const next = 'error' in answer ? null : nextOf(answer.fetched)
    if (next === null || keyOf(next) !== key || asked.has(next) || asked.size > mostSelfRedirects)
      return answer
    at = next
  }
}

function nextOf({ url, status, headers }: Fetched): string | null {
  const location = locationOf(status, headers)
  const next = location === null ? null : URL.parse(location, url)
  if (next === null) return null
  next.hash = ''
  return next.href
}

function keyOf(url: string): string | null {
  const normal = normalForm(url)
  return normal === null ? null : urlKey(normal)
}

/** What is told of a page besides its body. */
export function pageOf(
  { runId, scope, storeHtml }: FetchOrders,
  { key, attempt, url }: FetchOrder,
  fetched: Fetched,
) {
  const { status, headers, elapsedMs } = fetched
  const trace = currentTraceparent()
  const marks = headersOf(headers, markHeaders)
  return {
    runId,
    key,
    attempt,
    url,
    scope,
    storeHtml,
    status,
    contentType: headers['content-type']?.slice(0, longestField) ?? null,
    robotsHeader: headers['x-robots-tag']?.slice(0, longestField) ?? null,
    fetchedAt: new Date().toISOString(),
    elapsedMs: Math.round(elapsedMs * 1000) / 1000,
    ...(Object.keys(marks).length > 0 && { marks }),
    ...(trace && { trace }),
  }
}
