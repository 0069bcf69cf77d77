/**
 * Finds the sitemaps of a site and reads them one by one: those that robots.txt names, else `/sitemap.xml`, or the
 * requested sitemap itself. Follows indexes one level, as sitemaps.org allows no more. If robots.txt cannot be fetched,
 * the audit assumes that it names none, and adds a warning.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { ActorProgress } from '@tidemark/contracts/http/actors/actor'
import { fetchFailureOf } from '@tidemark/contracts/problems'
import type { ReadSitemap, SitemapRead } from '@tidemark/contracts/rpc/sitemaps'
import { siteOf } from '@tidemark/url/site'
import { ApiProblem } from '../../http/domain/problem.ts'
import { retryWhileUnavailable } from '../../live-pages/retry-while-unavailable.ts'
import type { Sitemaps } from './adapters/sitemaps.ts'
import type { SitemapListing } from './domain/sitemap-listing.ts'

export type Finding = {
  sitemaps: Pick<Sitemaps, 'list' | 'read'>
  /** Fields that all RPC requests of this audit share. */
  work: Pick<ReadSitemap, 'workId' | 'projectId' | 'delayMs' | 'concurrency'>
  url: string
  signal: AbortSignal
  /** Nothing new begins after it has aborted: the remaining sitemaps count as unread. */
  late: AbortSignal
  progress: (progress: ActorProgress) => void
}

type Named = { url: string; depth: 0 | 1 }
/** `read`: the first part of the first sitemap, if it was already read. */
type Roots = { urls: string[]; read?: SitemapRead }

const fetchMs = 60_000
const maxSitemaps = 1_000

/** Throws `ApiProblem`, or the `Refusal` of the service that could not reach the site. */
export async function findSitemaps(finding: Finding, listing: SitemapListing): Promise<void> {
  const { signal, late, progress } = finding
  progress({ stage: 'looking for sitemaps' })
  const { urls, read = null } = await rootsOf(finding, listing)
  const waiting: Named[] = urls.map(url => ({ url, depth: 0 }))
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (!listing.name(next.url)) continue
    const done = listing.reports.length
    if (done >= maxSitemaps || late.aborted || signal.aborted) {
      listing.unread += 1
      continue
    }
    progress({ stage: 'reading sitemaps', done, total: done + waiting.length + 1 })
    waiting.unshift(...(await readNext(finding, listing, next, done === 0 ? read : null)))
  }
}

/** Returns the first sitemaps: the address itself, if its name or its content is that of a sitemap. */
async function rootsOf(finding: Finding, listing: SitemapListing): Promise<Roots> {
  const { sitemaps, work, url, signal } = finding
  const { wanted } = listing
  const { pathname, search, origin } = new URL(url)
  const isNamedSo = /\.xml(?:\.gz)?$/i.test(pathname)
  if (isNamedSo || pathname !== '/' || search !== '') {
    const read = await readPart(finding, url, { wanted, from: 0 })
    if (isNamedSo && read.status === null) throw unreachable(read)
    if (isNamedSo || read.isSitemap) return { urls: [url], read }
  }
  const usual = `${origin}/sitemap.xml`
  try {
    const { status, named } = await retryWhileUnavailable(signal, () =>
      sitemaps.list({ ...work, url, timeoutMs: fetchMs }),
    )
    if (isNoAnswer(status)) listing.withoutRobots = `it answered ${status}`
    return { urls: named.length > 0 ? named : [usual] }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'fetch_failed' || signal.aborted) throw error
    const read = await readPart(finding, usual, { wanted, from: 0 })
    if (read.status === null) throw error
    listing.withoutRobots = error.message
    return { urls: [usual], read }
  }
}

/** A missing robots.txt (4xx) is an answer, but these statuses are not (RFC 9309, 2.3.1.4). */
const isNoAnswer = (status: number): boolean => status >= 500 || status === 429

function unreachable({ error, message }: SitemapRead): ApiProblem {
  const reason = error ?? 'protocol'
  const details = { message: message ?? undefined }
  return reason === 'private_address' || reason === 'blocked_domain'
    ? new ApiProblem('invalid_input', { ...details, reason, field: 'url' })
    : new ApiProblem('fetch_failed', {
        ...details,
        reason: fetchFailureOf(reason),
      })
}

/** Reads the wanted part of one sitemap. Returns the sitemaps to read next. */
async function readNext(
  finding: Finding,
  listing: SitemapListing,
  { url, depth }: Named,
  known: SitemapRead | null,
): Promise<Named[]> {
  const { wanted } = listing
  const read = known ?? (await readPart(finding, url, { wanted, from: 0 }))
  const report = listing.take(url, read)
  listing.add(url, read.entries)
  for (let { next } = read; next !== null && !listing.isFull; ) {
    if (finding.late.aborted || finding.signal.aborted) {
      listing.unread += 1
      break
    }
    const part = await readPart(finding, url, { wanted, from: next })
    listing.add(url, part.entries)
    next = part.next
  }
  if (depth === 1 && read.sitemaps.length > 0 && report.error === null) {
    report.error = 'index_in_index'
    report.message = 'An index names it, and it is an index itself: its sitemaps are not read.'
  }
  return depth === 0 ? childrenOf(read, listing) : []
}

/** Returns the sitemaps of an index. Leaves out those of other sites. */
function childrenOf({ url, sitemaps }: SitemapRead, listing: SitemapListing): Named[] {
  const site = siteOf(new URL(url).hostname)
  return sitemaps.flatMap(child => {
    if (siteOf(new URL(child).hostname) === site) return [{ url: child, depth: 1 as const }]
    if (listing.reports.length >= maxSitemaps) listing.unread += 1
    else if (listing.name(child))
      listing.leaveOut(child, 'other_site', 'An index may only name sitemaps of its own site.')
    return []
  })
}

const readPart = (
  { sitemaps, work, signal }: Finding,
  url: string,
  part: Pick<ReadSitemap, 'wanted' | 'from'>,
): Promise<SitemapRead> =>
  retryWhileUnavailable(signal, () => sitemaps.read({ ...work, url, timeoutMs: fetchMs, ...part }))
