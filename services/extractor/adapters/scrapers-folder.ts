/**
 * The scrapers that there are: each has a folder of its own in `domain/scrapers`, named by its domain, and being there
 * is all it takes. So a new one touches one folder, and no list has to be kept beside it; the folder is read once, when
 * a process or a thread starts, and one that is not as its folder says stops it there.
 */
import { readdir } from 'node:fs/promises'
import type { Scrapers } from '../domain/scrapers/order.ts'
import type { Scraper } from '../domain/scrapers/scraper.ts'

const home = new URL('../domain/scrapers/', import.meta.url)

/** In the order of their domains. */
export async function loadScrapers(folder: URL = home): Promise<Scrapers> {
  const found = await readdir(folder, { withFileTypes: true })
  const domains = found.flatMap(entry => (entry.isDirectory() ? entry.name : [])).sort()
  return new Map(
    await Promise.all(domains.map(async domain => [domain, await load(folder, domain)] as const)),
  )
}

async function load(folder: URL, domain: string): Promise<Scraper> {
  const { scraper } = (await import(new URL(`${domain}/scraper.ts`, folder).href)) as { scraper?: Scraper }
  if (scraper?.domain !== domain) throw new Error(`the folder ${domain} has no scraper of that domain`)
  return scraper
}
