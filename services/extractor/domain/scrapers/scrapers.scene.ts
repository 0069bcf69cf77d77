/** All scrapers with their saved pages. */
import { loadScrapers } from '../../adapters/scrapers-folder.ts'
import type { Saved, SavedPage } from './saved.examples.ts'
import type { Entry, Scraper } from './scraper.ts'

export type Known = { scraper: Scraper; saved: Saved }

export const scrapers = await loadScrapers()

export const known: Known[] = await Promise.all(
  [...scrapers.values()].map(async scraper => {
    const file = new URL(`${scraper.domain}/saved.examples.ts`, import.meta.url)
    const { saved } = (await import(file.href)) as { saved: Saved }
    return { scraper, saved }
  }),
)

export const pagesOf = ({ full, partial, more = [] }: Saved): SavedPage[] => [full, partial, ...more]

/** Returns the entry with null for each absent field. */
export function whole({ dataShape }: Scraper, entry: Entry): Entry {
  const empty = Object.fromEntries(Object.keys(dataShape).map(field => [field, null]))
  return { ...empty, ...entry }
}
