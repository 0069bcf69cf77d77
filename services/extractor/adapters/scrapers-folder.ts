/**
 * All scrapers. Each has its own folder in `domain/scrapers`, named by its domain, so a new scraper touches one folder
 * and no list. Folders are read once, when a process or thread starts. A scraper that does not match its folder stops
 * the start.
 */
import { readdir } from 'node:fs/promises'
import type { Scrapers } from '../domain/scrapers/order.ts'
import type { Scraper } from '../domain/scrapers/scraper.ts'

const home = new URL('../domain/scrapers/', import.meta.url)

/** Loads all scrapers of the folder, in the order of their domains. */
export async function loadScrapers(): Promise<Scrapers> {
  const found = await readdir(home, { withFileTypes: true })
  const domains = found.flatMap(entry => (entry.isDirectory() ? entry.name : [])).sort()
  return new Map(await Promise.all(domains.map(async domain => [domain, await load(domain)] as const)))
}

async function load(domain: string): Promise<Scraper> {
  // The path is a template literal, so that a bundle contains all scrapers.
  const { scraper } = (await import(`../domain/scrapers/${domain}/scraper.ts`)) as { scraper?: Scraper }
  if (scraper?.domain !== domain) throw new Error(`the folder ${domain} has no scraper of that domain`)
  return scraper
}
