/** Builds the warnings of a sitemap audit, one sentence each. */
import type { AuditedPages } from './audited-pages.ts'
import type { SitemapListing } from './sitemap-listing.ts'

/** @param stopped the reason why not all pages were probed */
export const auditWarnings = (
  listing: SitemapListing,
  audited: AuditedPages,
  stopped: string | null,
): string[] => [...ofListing(listing), ...ofPages(listing, audited), ...(stopped === null ? [] : [stopped])]

function ofListing(listing: SitemapListing): string[] {
  const { found, reports, unread, foreign, unusable, duplicates, isCut, withoutRobots } = listing
  const none =
    reports.length === 1 && reports[0]?.error != null
      ? `no sitemap was found: ${reports[0].url} is not a sitemap`
      : 'no sitemap was found'
  return [
    ...(withoutRobots === null
      ? []
      : [`robots.txt could not be fetched, so the sitemaps that it names are not known: ${withoutRobots}`]),
    ...(found.length === 0 ? [none] : []),
    ...(unread > 0 ? [`${unread} named sitemaps were not read completely`] : []),
    ...(foreign > 0
      ? [
          `${foreign} listed pages are on another host than their sitemap, which is valid only if the robots.txt of that host names the sitemap; they are probed anyway`,
        ]
      : []),
    ...(unusable > 0 ? [`${unusable} entries are not URLs that can be fetched`] : []),
    ...(duplicates > 0 ? [`${duplicates} pages are listed more than once; each is probed once`] : []),
    ...(isCut ? ['not all pages could be kept until they are probed: their addresses are too long'] : []),
  ]
}

function ofPages({ pages }: SitemapListing, { silent, withheld, challenges }: AuditedPages): string[] {
  const left = (host: string) => pages.filter(({ url }) => new URL(url).host === host).length
  return [
    ...silent
      .slice(0, maxHosts)
      .map(host => `${host} did not respond too often: the rest of its ${left(host)} pages was left out`),
    ...withheld
      .slice(0, maxHosts)
      .map(
        host =>
          `${host} had no free slot too often, because it requested a pause or other requests used it: the rest of its ${left(host)} pages was left out`,
      ),
    ...(challenges > 0 ? [`${challenges} pages showed a challenge for bots in their place`] : []),
  ]
}

const maxHosts = 10
