/** Reads one sitemap for its run. Sitemaps are not pages: nothing is stored. */
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeHtml } from '@tidemark/html/decode'
import { decodeBody } from '@tidemark/http/decode'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { partsOf } from '../domain/parts.ts'
import { noFacts, sitemapFactsSteps } from '../domain/sitemap-facts.ts'
import { isGzip } from './sitemap-text.ts'

/** Maximum size of a sitemap (sitemaps.org). Larger compressed ones fail. */
export const maxSitemapBytes = 50 * 1024 ** 2

/**
 * Returns the outcomes of a sitemap in the order in which the run must receive them.
 * @param most maximum compressed size in bytes
 * @throws FetchError when the body cannot be decoded or exceeds the maximum
 */
export function* readSitemap(
  page: FetchedPage,
  asSent: Buffer,
  most = maxSitemapBytes,
): Generator<void, Outcome[]> {
  const { runId, key, attempt, status } = page
  const isThere = status >= 200 && status <= 299
  const isMoved = !inScope(page.scope, page.url)
  const scope = isMoved ? scopeOf(page.url, page.scope.subdomains) : page.scope
  const facts = isThere
    ? yield* sitemapFactsSteps({ ...page, scope }, yield* sitemapTextSteps(page, asSent, most))
    : noFacts
  const moved = isMoved && { movedTo: page.url }
  return partsOf({ type: 'sitemap', runId, key, attempt, status, ...facts, ...moved }, outcomeBytes)
}

/** The text of a sitemap in any compression. Throws FetchError when the body cannot be decoded. */
function* sitemapTextSteps(
  page: Pick<FetchedPage, 'encodings' | 'contentType'>,
  asSent: Buffer,
  most: number,
): Generator<void, string> {
  // An uncompressed sitemap may be larger, because it is in memory already. Its beginning is read.
  const sent = decodeBody(asSent, page.encodings, Math.max(most, asSent.byteLength))
  yield
  const bytes = isGzip(sent) ? decodeBody(sent, ['gzip'], most) : sent
  yield
  const { html: text } = decodeHtml(bytes, page.contentType)
  yield
  return text
}
