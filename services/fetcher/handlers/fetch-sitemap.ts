/**
 * Fetches one ordered sitemap: its bytes for the extractor, or the reason of the failure. Redirects are followed,
 * and each target is judged like the first. The entries belong to the final address.
 */
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import type { Fit } from '../adapters/fit.ts'
import { answerOf } from '../domain/answer.ts'
import { orderName } from '../domain/names.ts'
import type { Ask } from './ask.ts'
import { failureOf, noRoomOf, throttledOf } from './failures.ts'
import { type Fetching, pageOf } from './fetch-page.ts'

/**
 * Returns the fetch function of sitemaps.
 * @param maxBytes maximum bytes of the body on the wire
 */
export const fetchSitemap = ({ ask, fit, maxBytes }: { ask: Ask; fit: Fit; maxBytes: number }): Fetching => ({
  ask: (work, order, { session: _, ...request }) =>
    ask(order.url, { work, order, maxHops: maxFileRedirects, maxBytes, ...request }),
  async tell(work, order, asked) {
    const attempt = { runId: work.runId, key: order.key, attempt: order.attempt }
    if ('error' in asked) return { outcome: failureOf(attempt, asked.error) }
    const { fetched, backOffMs } = asked
    const answer = answerOf({ url: fetched.url, location: null, backOffMs, attempt: order.attempt })
    if (answer.is === 'throttled') return { outcome: throttledOf(attempt, answer.retryAfterMs) }
    const travelling = await fit(fetched.body, fetched.encodings, orderName(attempt))
    if (travelling === null) return { outcome: noRoomOf(attempt) }
    const { body, ...travel } = travelling
    const page = { kind: 'sitemap' as const, ...pageOf(work, order, fetched), url: fetched.url, ...travel }
    return { page, body }
  },
})
