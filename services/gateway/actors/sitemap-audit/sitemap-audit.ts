/** `POST /v1/actors/sitemap-audit`: lists the pages in a site's sitemaps, and probes each. */
import type { SitemapAudited, SitemapAuditRequest } from '@tidemark/contracts/http/actors/sitemap-audit'
import { TextBudget } from '../../http/domain/text-budget.ts'
import { judgeSeed } from '../../live-pages/judge-seed.ts'
import { reserveUnlessDisconnected } from '../../metering/reserve-unless-disconnected.ts'
import type { ActorOrder } from '../actor-routes.ts'
import type { ActorOutcome, ActorWork } from '../answer-actor.ts'
import { type JsonText, objectText } from '../domain/json-text.ts'
import type { ActorPorts } from '../ports.ts'
import { auditWarnings } from './domain/audit-warnings.ts'
import { AuditedPages } from './domain/audited-pages.ts'
import { SitemapListing } from './domain/sitemap-listing.ts'
import { findSitemaps } from './find-sitemaps.ts'
import { maxOfPart, type Probing, probeListed, type Stopped } from './probe-listed.ts'

/** Concurrency over all hosts. */
const concurrency = 32
/** Time for finding sitemaps: the first reservation lasts 15 minutes. */
const findingMs = 8 * 60_000
/** Characters of the listing of one audit, and of all audits of this gateway. */
const maxListing = { each: 32 * 1024 ** 2, all: 128 * 1024 ** 2 }
/** Bytes of the results, which are held until the answer is sent. */
const maxAnswer = { each: 64 * 1024 ** 2, all: 256 * 1024 ** 2 }

/** All audits of one gateway share the memory limits. */
export function sitemapAuditor(ports: ActorPorts) {
  const listings = new TextBudget(maxListing)
  const answers = new TextBudget(maxAnswer)
  return async (
    { body, payer, requestId, whenAnswered }: ActorOrder<SitemapAuditRequest>,
    at: ActorWork,
  ): Promise<ActorOutcome> => {
    using listed = listings.open()
    const answered = answers.open()
    whenAnswered(() => answered[Symbol.dispose]())
    const listing = new SitemapListing(body.dry_run ? 0 : body.max_urls, listed)
    const audited = new AuditedPages(answered)
    return await audit(ports, { body, listing, audited, requestId, payer }, at)
  }
}

type Audit = Pick<Probing, 'payer' | 'requestId'> & {
  body: SitemapAuditRequest
  listing: SitemapListing
  audited: AuditedPages
}

async function audit(ports: ActorPorts, audit: Audit, at: ActorWork): Promise<ActorOutcome> {
  const { body, listing, audited, payer, requestId } = audit
  const { metering, sitemaps, probes, report } = ports
  const { workId, signal, progress } = at
  await judgeSeed(ports, body.url)
  const reserve = (units: number) =>
    reserveUnlessDisconnected(metering, payer, { requestId, kind: 'page', units }, signal)
  // The number of pages is unknown before the sitemaps are read, but they are only read if the cap allows at least one.
  const one = body.dry_run ? null : await reserve(1)
  const work = { workId, projectId: payer.projectId, concurrency, delayMs: probes.delayMs }
  const late = AbortSignal.timeout(findingMs)
  const url = withoutFragment(body.url)
  await findSitemaps({ sitemaps, work, url, signal, late, progress }, listing).catch(error => {
    if (one !== null) metering.release(payer, requestId)
    throw error
  })
  const units = Math.min(listing.pages.length, maxOfPart)
  const first = one !== null && units > one.granted ? await reserve(units) : one
  const { perHost } = probes
  const probing = { sitemaps, metering, payer, requestId, work, perHost, signal, progress, report }
  const stopped = first === null ? null : await probeListed(probing, listing.pages, audited, first)
  const why = stopped === null ? null : `not all pages were probed: ${stops[stopped]}`
  return { data: dataOf(listing, audited), warnings: [...auditWarnings(listing, audited, why)] }
}

function dataOf(listing: SitemapListing, { count, refused, summary, items }: AuditedPages): JsonText {
  const data: Omit<SitemapAudited, 'items'> & { items: JsonText } = {
    sitemaps_found: listing.found,
    total_urls_in_sitemap: listing.urls,
    total_urls_probed: count,
    total_urls_refused: refused,
    pages_billed: count,
    summary,
    items,
    sitemaps: listing.reports,
    lastmod_problems: listing.lastmod,
  }
  return objectText(data)
}

const stops: Record<Stopped, string> = {
  daily_pages: 'the daily page cap that applies to this key is used up',
  monthly_pages: 'the monthly page cap that applies to this key is used up',
  cloud_pages: 'a cap that applies to this key is used up',
  free_results: 'this project has reached its daily limit of failures and challenges',
  full: 'the response has reached its maximum size',
  time: 'an audit takes four hours at the most',
  unavailable: 'a part of the service was unavailable',
  disconnected: 'the audit was interrupted',
}

function withoutFragment(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href
}
