/** Reads one sitemap for its run. Sitemaps are not pages: nothing is stored. */
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeHtml } from '@tidemark/html/decode'
import { decodeBody } from '@tidemark/http/decode'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { partsOf } from '../domain/parts.ts'
import { noFacts, type SitemapFacts, sitemapFactsSteps } from '../domain/sitemap-facts.ts'
import { isGzip } from './sitemap-text.ts'

/** Maximum size of a sitemap (sitemaps.org). Larger compressed ones fail. */
export const maxSitemapBytes = 50 * 1024 ** 2

/**
 * Returns the outcomes of a sitemap in the order in which the run must receive them.
 * @param maxBytes maximum compressed size in bytes
 * @throws FetchError when the body cannot be decoded or exceeds the maximum
 */
export function* readSitemap(
  page: FetchedPage,
  asSent: Buffer,
  maxBytes = maxSitemapBytes,
): Generator<void, Outcome[]> {
  const { runId, key, attempt, status } = page
  const isThere = status >= 200 && status <= 299
  const text = isThere ? yield* sitemapTextSteps(page, asSent, maxBytes) : null
  const facts = text === null ? noFacts : yield* factsSteps(page, text)
  return partsOf({ type: 'sitemap', runId, key, attempt, status, ...facts }, outcomeBytes)
}

/**
 * Returns the facts of a sitemap for the scope of the run. A redirect may lead to a sitemap of another site. If that
 * sitemap lists nothing in the scope, it is read for its own site. A sitemap at a separate host for files may list URLs
 * in the scope.
 */
function* factsSteps(page: FetchedPage, text: string): Generator<void, SitemapFacts & { movedTo?: string }> {
  const { url, scope } = page
  const facts = yield* sitemapFactsSteps(page, text)
  const lists = facts.links.length > 0 || facts.sitemaps.some(([, child]) => inScope(scope, child))
  if (lists || inScope(scope, url)) return facts
  const ofItsSite = yield* sitemapFactsSteps({ url, scope: scopeOf(url, scope.subdomains) }, text)
  return { ...ofItsSite, movedTo: url }
}

/** The text of a sitemap in any compression. Throws FetchError when the body cannot be decoded. */
function* sitemapTextSteps(
  page: Pick<FetchedPage, 'encodings' | 'contentType'>,
  asSent: Buffer,
  maxBytes: number,
): Generator<void, string> {
  // An uncompressed sitemap may be larger, because it is in memory already. Its beginning is read.
  const sent = decodeBody(asSent, page.encodings, Math.max(maxBytes, asSent.byteLength))
  yield
  const bytes = isGzip(sent) ? decodeBody(sent, ['gzip'], maxBytes) : sent
  yield
  const { html: text } = decodeHtml(bytes, page.contentType)
  yield
  return text
}
