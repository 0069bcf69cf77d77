/** Builds the warnings of a sitemap audit. */
import type { AuditedPages } from './audited-pages.ts'
import type { SitemapListing } from './sitemap-listing.ts'

/** @param stopped the reason why not all pages were probed */
export function* auditWarnings(
  listing: SitemapListing,
  audited: AuditedPages,
  stopped: string | null,
): Generator<string> {
  yield* ofListing(listing)
  yield* ofPages(listing, audited)
  if (stopped !== null) yield stopped
}

function* ofListing(listing: SitemapListing): Generator<string> {
  const { found, reports, unread, foreign, unusable, duplicates, isCut, withoutRobots } = listing
  if (withoutRobots !== null)
    yield `robots.txt could not be fetched, so the sitemaps that it names are not known: ${withoutRobots}`
  const [only] = reports.length === 1 ? reports : []
  if (found.length === 0)
    yield only?.error ? `no sitemap was found: ${only.url} is not a sitemap` : 'no sitemap was found'
  if (unread > 0) yield `${unread} named sitemaps were not read completely`
  if (foreign > 0)
    yield `${foreign} listed pages are on another host than their sitemap, which is valid only if the robots.txt of that host names the sitemap; they are probed anyway`
  if (unusable > 0) yield `${unusable} entries are not URLs that can be fetched`
  if (duplicates > 0) yield `${duplicates} pages are listed more than once; each is probed once`
  if (isCut) yield 'some pages were not probed, because the listed addresses exceed the memory limit'
}

function* ofPages(
  { pages }: SitemapListing,
  { silent, withheld, challenges }: AuditedPages,
): Generator<string> {
  const left = (host: string) =>
    `the rest of its ${pages.filter(({ url }) => new URL(url).host === host).length} pages was left out`
  for (const host of silent.slice(0, maxHosts)) yield `${host} repeatedly did not respond: ${left(host)}`
  for (const host of withheld.slice(0, maxHosts))
    yield `${host} repeatedly had no free slot, because it requested a pause or other requests used it: ${left(host)}`
  if (challenges > 0) yield `${challenges} pages showed a challenge for bots in their place`
}

const maxHosts = 10
