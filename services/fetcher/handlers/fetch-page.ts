/**
 * Fetches one ordered page. The result is the page with its body as the origin sent it, or an outcome for the run. The
 * run decides whether a failure is retried.
 */
import { currentTraceparent } from '@tidemark/bus/trace'
import type { SessionCookie } from '@tidemark/contracts/login/session'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { type FetchedPage, markHeaders } from '@tidemark/contracts/work/page'
import type { Fetched } from '@tidemark/http/fetch'
import type { FetchError } from '@tidemark/http/fetch-error'
import { locationOf } from '@tidemark/http/redirect'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { PackBody } from '../adapters/pack-body.ts'
import { answerOf } from '../domain/answer.ts'
import { conditionsOf, revisitOf } from '../domain/conditions.ts'
import { headersOf, typeAndRobotsOf } from '../domain/headers-of.ts'
import { keptHeaders } from '../domain/kept-headers.ts'
import { orderName } from '../domain/names.ts'
import { cookieFieldOf, withCookies } from '../domain/session-cookies.ts'
import { failureOf, overLimitOf, storeFullOf, throttledOf } from './failures.ts'
import type { RequestOptions, RequestResult, SendRequest } from './send-request.ts'

export type Result = { page: FetchedPage; body: Uint8Array } | { outcome: Outcome }

/**
 * Handles one kind of order: first the request to the host, then, when the host slot is free again, the preparation of
 * the result.
 */
export type Fetching = {
  /** Sends the request. Rejects only when the fetch is aborted. */
  send(
    work: FetchOrders,
    order: FetchOrder,
    /** The headers of the run, the callbacks of the request, and its abort signal. */
    request: Pick<RequestOptions, 'headers' | 'onSent' | 'onResponse' | 'bodyMemory' | 'signal'> & {
      /** The cookies of the run's login; empty without one. */
      session: readonly SessionCookie[]
    },
  ): Promise<RequestResult>
  /** Prepares the result of a response. Rejects only when the fetcher stops. */
  toResult(work: FetchOrders, order: FetchOrder, response: RequestResult): Promise<Result>
}

const maxSelfRedirects = 5

type ResultRules = {
  /** Set for sitemaps. */
  kind?: 'sitemap'
  /** Returns the redirect target, or null if the response is the page itself. */
  locationOf: (order: FetchOrder, fetched: Fetched) => string | null
  /** Returns the further fields of the page. */
  moreOf: (work: FetchOrders, order: FetchOrder, response: Answered) => Partial<FetchedPage>
}
type Answered = Extract<RequestResult, { fetched: Fetched }>

/** Returns a function that converts a response, of HTTP or a browser, into a page, a sitemap or an outcome. */
export const resultMaker =
  (packBody: PackBody, { kind, locationOf, moreOf }: ResultRules): Fetching['toResult'] =>
  async (work, order, response) => {
    const attempt = { runId: work.runId, key: order.key, attempt: order.attempt, ...(kind && { kind }) }
    if ('error' in response) return { outcome: failureOf(attempt, response.error) }
    const { fetched, backOffMs } = response
    const location = locationOf(order, fetched)
    const classified = answerOf({ ...order, url: fetched.url, location, backOffMs })
    switch (classified.type) {
      case 'redirect':
        return { outcome: { type: 'redirect', ...attempt, to: classified.to } }
      case 'throttled':
        return { outcome: throttledOf(attempt, classified.retryAfterMs) }
      case 'page': {
        const packed = await packBody(fetched.body, fetched.encodings, orderName(attempt))
        if (packed === null) return { outcome: storeFullOf(attempt) }
        const { body, ...packing } = packed
        const page = { ...pageOf(work, order, fetched), ...moreOf(work, order, response), ...packing }
        return { page, body }
      }
    }
  }

/**
 * Returns the fetch function of pages.
 * @param maxBytes maximum bytes of a body on the wire. An order may have a lower one.
 */
export function fetchPage({
  sendRequest,
  packBody,
  maxBytes,
}: {
  sendRequest: SendRequest
  packBody: PackBody
  maxBytes: number
}): Fetching {
  const toResult = resultMaker(packBody, {
    locationOf: (_, { status, headers }) => locationOf(status, headers),
    moreOf: (work, order, response) => {
      const more = revisitFor(work, order, response)
      return { ...headersFor(work, more, response), ...more }
    },
  })
  return {
    send: (work, order, request) =>
      requestPage(sendRequest, work, order, { ...request, maxBytes: limitOf(work, maxBytes) }),
    async toResult(work, order, response) {
      const isOverLimit =
        limitOf(work, maxBytes) < maxBytes && 'error' in response && isBodyTooLarge(response.error)
      if (!isOverLimit) return toResult(work, order, response)
      return { outcome: overLimitOf({ runId: work.runId, key: order.key, attempt: order.attempt }) }
    },
  }
}

const limitOf = ({ maxBytes = Number.POSITIVE_INFINITY }: FetchOrders, ours: number): number =>
  Math.min(maxBytes, ours)

/**
 * Returns whether the body was too large. If the headers are too large, the library raises an error, which is the
 * `cause`.
 */
const isBodyTooLarge = ({ code, cause }: FetchError): boolean => code === 'too_large' && cause === undefined

/**
 * Returns the headers to store. A rendered page has none, because its bytes are not the bytes of the response. An
 * unchanged page is stored with the headers of the earlier run.
 */
const headersFor = ({ storeHtml }: FetchOrders, more: Partial<FetchedPage>, { fetched }: Answered) =>
  storeHtml && more.notModifiedSince === undefined ? { headers: keptHeaders(fetched.headers) } : {}

/**
 * Returns the fields of a page for a run of a monitor: the earlier run since which the page is unchanged, or the
 * validators for a later run. Validators count only if the response came from the ordered address, else they belong to
 * another resource.
 */
function revisitFor(
  { revisits }: FetchOrders,
  { url }: FetchOrder,
  response: RequestResult,
): Partial<FetchedPage> {
  if (!revisits || 'error' in response) return {}
  const { fetched, isConditional } = response
  if (isConditional && fetched.status === notModified && revisits.since !== null)
    return { notModifiedSince: revisits.since }
  const revisit = fetched.url === URL.parse(url)?.href ? revisitOf(fetched, Date.now()) : null
  return revisit ? { revisit } : {}
}

const notModified = 304
const preconditionFailed = 412

/**
 * Fetches a page, conditionally if an earlier run has it. A redirect that only adds what the URL's normal form omits,
 * such as a tracking parameter, leads to the same page and is followed here: for the run it would be a loop.
 */
async function requestPage(
  sendRequest: SendRequest,
  work: FetchOrders,
  order: FetchOrder,
  request: Parameters<Fetching['send']>[2] & { maxBytes: number },
): Promise<RequestResult> {
  const { key, url, validators } = order
  const { session, ...plainly } = request
  const requested = new Set<string>()
  let conditions = conditionsOf(validators, request.headers)
  for (let at = url; ; ) {
    requested.add(at)
    const own = withCookies(request.headers, cookieFieldOf(session, work.scope, at, Date.now()))
    const headers = conditions === null ? own : { ...own, ...conditions }
    const response = await sendRequest(at, { work, order, maxHops: 0, ...plainly, headers })
    if ('error' in response) return response
    const isRefused = conditions !== null && response.fetched.status === preconditionFailed
    const next = isRefused ? at : nextOf(response.fetched)
    const isRound = !isRefused && (next === null || requested.has(next) || requested.size > maxSelfRedirects)
    if (isRound || next === null || keyOf(next) !== key)
      return conditions === null ? response : { ...response, isConditional: true }
    conditions = null
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

/** Returns the key of a URL, or null if it cannot be fetched. */
export function keyOf(url: string): string | null {
  const normal = normalForm(url)
  return normal === null ? null : urlKey(normal)
}

/** Returns the fields of a page except its body. */
function pageOf(work: FetchOrders, order: FetchOrder, fetched: Fetched) {
  const { status, headers, elapsedMs, peer } = fetched
  const marks = headersOf(headers, markHeaders)
  return {
    ...orderedPageOf(work, order),
    ...(order.isRecheck && work.maxBytes !== undefined && { maxBytes: work.maxBytes }),
    status,
    ...typeAndRobotsOf(headers),
    fetchedAt: new Date().toISOString(),
    ...(peer && Object.keys(peer).length > 0 && { peer }),
    elapsedMs: Math.round(elapsedMs * 1000) / 1000,
    ...(Object.keys(marks).length > 0 && { marks }),
  }
}

/** Returns the fields of a page that its order determines. */
export function orderedPageOf(
  { runId, scope, storeHtml, comparison, loggedOut }: FetchOrders,
  { key, attempt, url }: FetchOrder,
) {
  const trace = currentTraceparent()
  return {
    ...{ runId, key, attempt, url, scope, storeHtml },
    ...(comparison && { comparison }),
    ...(loggedOut && { loggedOut }),
    ...(trace && { trace }),
  }
}
