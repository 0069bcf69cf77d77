/**
 * Fetches one ordered sitemap: its bytes for the extractor, or the reason of the failure. Redirects are followed,
 * and each target is judged like the first. The entries belong to the final address.
 */
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import type { PackBody } from '../adapters/pack-body.ts'
import { type Fetching, resultMaker } from './fetch-page.ts'
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
  toResult: resultMaker(packBody, {
    kind,
    locationOf: () => null,
    moreOf: (_work, _order, { fetched }) => ({ kind, url: fetched.url }),
  }),
})
