/**
 * Fetches one ordered sitemap: its bytes for the extractor, or the reason of the failure. Redirects are followed,
 * and each target is judged like the first. The entries belong to the final address.
 */
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import type { PackBody } from '../adapters/pack-body.ts'
import { answerOf } from '../domain/answer.ts'
import { orderName } from '../domain/names.ts'
import { failureOf, storeFullOf, throttledOf } from './failures.ts'
import { type Fetching, pageOf } from './fetch-page.ts'
import type { SendRequest } from './send-request.ts'

const kind = 'sitemap' as const

/**
 * Returns the fetch function of sitemaps.
 * @param maxBytes maximum bytes of the body on the wire
 */
export const fetchSitemap = ({
  sendRequest,
  packBody,
  maxBytes,
}: {
  sendRequest: SendRequest
  packBody: PackBody
  maxBytes: number
}): Fetching => ({
  send: (work, order, { session: _, ...request }) =>
    sendRequest(order.url, { work, order, maxHops: maxFileRedirects, maxBytes, ...request }),
  async toResult(work, order, response) {
    const attempt = { kind, runId: work.runId, key: order.key, attempt: order.attempt }
    if ('error' in response) return { outcome: failureOf(attempt, response.error) }
    const { fetched, backOffMs } = response
    const classified = answerOf({ ...order, url: fetched.url, location: null, backOffMs })
    if (classified.type === 'throttled') return { outcome: throttledOf(attempt, classified.retryAfterMs) }
    const packed = await packBody(fetched.body, fetched.encodings, orderName(attempt))
    if (packed === null) return { outcome: storeFullOf(attempt) }
    const { body, ...packing } = packed
    const page = { kind, ...pageOf(work, order, fetched), url: fetched.url, ...packing }
    return { page, body }
  },
})
