/** Everything that one sitemap tells its run. It is no page: nothing of it is stored. */
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import type { FetchedPage } from '@tidemark/contracts/work/page'
import { decodeHtml } from '@tidemark/html/decode'
import { decodeBody } from '@tidemark/http/decode'
import { partsOf } from '../domain/parts.ts'
import { noFacts, sitemapFactsSteps } from '../domain/sitemap-facts.ts'
import { isGzip } from './sitemap-text.ts'

/** A sitemap may be so large (sitemaps.org); one that is packed into more has failed. */
export const mostSitemapBytes = 50 * 1024 ** 2

/**
 * In the order in which the run has to hear them.
 * @param most bytes that it may be packed into
 * @throws FetchError when the body cannot be decoded, or is packed into more
 */
export function* readSitemap(
  page: FetchedPage,
  asSent: Buffer,
  most = mostSitemapBytes,
): Generator<void, Outcome[]> {
  const { runId, key, attempt, status } = page
  const isThere = status >= 200 && status <= 299
  const facts = isThere
    ? yield* sitemapFactsSteps(page, yield* sitemapTextSteps(page, asSent, most))
    : noFacts
  return partsOf({ type: 'sitemap', runId, key, attempt, status, ...facts }, outcomeBytes)
}

/** The text of a sitemap, packed however it may be. Throws FetchError when the body cannot be decoded. */
function* sitemapTextSteps(
  page: Pick<FetchedPage, 'encodings' | 'contentType'>,
  asSent: Buffer,
  most: number,
): Generator<void, string> {
  // What came plain may be larger: it is there already, and its beginning can be read.
  const sent = decodeBody(asSent, page.encodings, Math.max(most, asSent.byteLength))
  yield
  const bytes = isGzip(sent) ? decodeBody(sent, ['gzip'], most) : sent
  yield
  const { html: text } = decodeHtml(bytes, page.contentType)
  yield
  return text
}
