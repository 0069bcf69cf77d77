/** Reads a page of a site with its scraper: the work of the content thread. */
import { loadScrapers } from '../adapters/scrapers-folder.ts'
import type { Scrapers } from '../domain/scrapers/order.ts'
import { readSite, type SiteEntries } from '../domain/scrapers/read-site.ts'
import type { SitePage } from '../domain/scrapers/scraper.ts'

/** `scraper`: the domain of an existing scraper. */
export type SiteRequest = { scraper: string; page: SitePage }

let loading: Promise<Scrapers> | null = null

export async function readSitePage({ scraper: domain, page }: SiteRequest): Promise<SiteEntries> {
  loading ??= loadScrapers()
  const scraper = (await loading).get(domain)
  if (scraper === undefined) throw new Error(`there is no scraper of ${domain}`)
  return readSite(scraper, page)
}
