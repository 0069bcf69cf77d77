/** Requests one page listed in a sitemap, without following redirects: the first response counts. */
import type { PageProbed, ProbePage } from '@tidemark/contracts/rpc/sitemaps'
import { decodeStart } from '../../adapters/decode-start.ts'
import type { FetchPage } from '../../adapters/fetch-now.ts'
import { inSteps } from '../../concurrency/in-steps.ts'
import { probedSteps, resultWithoutResponse } from '../../domain/actors/probed-page.ts'

/** The facts are in the head, so the body is truncated: as sent, and decoded. */
const maxBytes = 256 * 1024
const maxUnpacked = 512 * 1024

/** The handler refuses only with `unavailable`, without a fetcher. */
export function probePage({ fetchPage, now }: { fetchPage: FetchPage; now: () => number }) {
  return async (request: ProbePage): Promise<PageProbed> => {
    const page = await fetchPage({ ...request, maxHops: 0, maxBytes, cuts: true })
    if (page.is === 'failed') return resultWithoutResponse(page.reason, page.isUnasked === true)
    const body = await decodeStart(page.body, page.encodings, maxUnpacked).then(
      ({ bytes }) => bytes,
      () => null,
    )
    return inSteps(probedSteps({ ...page, body, now: now() }))
  }
}
