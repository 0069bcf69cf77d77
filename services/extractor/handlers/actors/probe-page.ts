/** Asks for one page that a sitemap lists, and follows it nowhere: what it answers first is what counts. */
import type { PageProbed, ProbePage } from '@tidemark/contracts/ask/sitemaps'
import { decodeStart } from '../../adapters/decode-start.ts'
import type { FetchPage } from '../../adapters/fetch-now.ts'
import { probedSteps, unprobed } from '../../domain/actors/probed-page.ts'
import { inSteps } from '../../turns/in-steps.ts'

/** What matters stands in the head: over the wire, and unpacked. */
const mostBytes = 256 * 1024
const mostUnpacked = 512 * 1024

/** The handler refuses only with `unavailable`, when no fetcher is there. */
export function probePage({ fetchPage, now }: { fetchPage: FetchPage; now: () => number }) {
  return async (question: ProbePage): Promise<PageProbed> => {
    const page = await fetchPage({ ...question, maxHops: 0, maxBytes: mostBytes, cuts: true })
    if (page.is === 'failed') return unprobed(page.reason, page.isUnasked === true)
    const body = await decodeStart(page.body, page.encodings, mostUnpacked).then(
      ({ bytes }) => bytes,
      () => null,
    )
    return inSteps(probedSteps({ ...page, body, now: now() }))
  }
}
