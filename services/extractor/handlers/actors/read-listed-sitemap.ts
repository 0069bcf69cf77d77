/**
 * Fetches one sitemap for an audit and returns its entries. The bodies of concurrent requests share a memory limit, and
 * one sitemap at a time is unpacked and read.
 */

import { createFairLine } from '@tidemark/bus/fair-line'
import { refuse } from '@tidemark/bus/refusal'
import type { ReadSitemap, SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import { maxFileRedirects } from '@tidemark/contracts/work/redirects'
import { FetchError } from '@tidemark/http/fetch-error'
import type { Fetched, FetchPage } from '../../adapters/fetch-now.ts'
import { createFairBudget } from '../../concurrency/fair-budget.ts'
import { inSteps } from '../../concurrency/in-steps.ts'
import { listedSteps } from '../../domain/actors/sitemap-entries.ts'
import { startOfSitemap } from '../sitemap-text.ts'

type Ports = { fetchPage: FetchPage; now: () => number }

/** Maximum size of a sitemap in the protocol (sitemaps.org), without compression. */
const maxBytes = 50 * 1024 ** 2
/** Memory limit of all concurrent bodies. */
const maxHeld = 3 * maxBytes
const retryAfterSeconds = 2

/** Failures to fetch are part of the response. The handler refuses (503) requests beyond the memory limit. */
export function readListedSitemap({ fetchPage, now }: Ports) {
  const [bodyBudget, line] = [createFairBudget({ all: maxHeld }), createFairLine()]

  return async ({ wanted, from, ...request }: ReadSitemap): Promise<SitemapRead> => {
    const { url, workId, timeoutMs } = request
    const deadline = AbortSignal.timeout(timeoutMs)
    using _held = await bodyBudget.enter(workId, maxBytes, deadline).catch(() => {
      throw refuse('unavailable', { retryAfterSeconds })
    })
    const answer = await fetchPage({ ...request, maxHops: maxFileRedirects, maxBytes, cuts: true })
    if (answer.is === 'failed') return unread({ url, error: answer.reason, message: answer.message })
    const { status } = answer
    if (status < 200 || status > 299) {
      const message = `The response has status ${status}.`
      return unread({ url: answer.url, status, error: 'http_status', message })
    }
    const part = { wanted, from, now: now() }
    return await line.join(workId, () => read(answer, part))
  }
}

async function read(
  answer: Fetched,
  part: Pick<ReadSitemap, 'wanted' | 'from'> & { now: number },
): Promise<SitemapRead> {
  const { url, status } = answer
  const start = await startOfSitemap(answer, maxBytes).catch(thrown => FetchError.from(thrown))
  if (start instanceof FetchError) return unread({ url, status, ...whyNotUnpacked(start) })
  const { text, isWhole, isBroken } = start
  const { isSitemap, cut, ...listed } = await inSteps(listedSteps(text, url, part))
  const result = { ...listed, url, status, isSitemap }
  if (isBroken || (!isSitemap && isPackedByName(answer) && !isMarkup(text))) return { ...result, ...broken }
  if (!isSitemap) return { ...result, error: 'not_a_sitemap', message: 'The response is not a sitemap.' }
  const missing = isWhole ? cut && `Left out: ${cut}.` : onlyBegun
  return { ...result, error: missing === null ? null : 'incomplete', message: missing }
}

/** The error of a sitemap whose compression is broken. The part before the fault is read. */
const broken = {
  error: 'broken_encoding',
  message: 'Its compressed data is corrupt or truncated. Search engines may ignore the sitemap.',
}
const onlyBegun = 'Only its beginning was read: it is too large.'

const whyNotUnpacked = ({ code, message }: FetchError) =>
  code === 'protocol' ? broken : { error: code, message }

/** Returns whether the name or the type of a sitemap declares a gzip file, regardless of its content. */
const isPackedByName = ({ url, contentType }: Pick<Fetched, 'url' | 'contentType'>): boolean =>
  /\.gz$/i.test(new URL(url).pathname) || /gzip/i.test(contentType ?? '')

const isMarkup = (text: string): boolean => text.trimStart().startsWith('<')

type Unread = Pick<SitemapRead, 'url' | 'error' | 'message'> & { status?: number }

const unread = ({ status, ...why }: Unread): SitemapRead => ({
  ...why,
  status: status ?? null,
  isSitemap: false,
  urls: 0,
  unusable: 0,
  foreign: 0,
  repeated: 0,
  images: 0,
  videos: 0,
  alternates: 0,
  lastmod: { future: 0, unreadable: 0 },
  sitemaps: [],
  entries: [],
  next: null,
})
