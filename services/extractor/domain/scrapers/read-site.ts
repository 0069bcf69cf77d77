/** Reads the entries of a page with its scraper, within bounds. */
import { beginningOf } from '../beginning.ts'
import { firstThatFit } from '../content-bounds.ts'
import { maxItems, onlyBeginning } from './bounds.ts'
import type { Entry, Scraper, SitePage } from './scraper.ts'

export type SiteEntries = { data: Entry[]; warnings: string[] }

/** Maximum JSON size of all entries together. */
const maxCharacters = 4 * 1024 ** 2

/** Reads the entries of a page. A page with an unknown structure has no entries and a warning. */
export function readSite({ domain, read }: Scraper, page: SitePage): SiteEntries {
  const text = beginningOf(page.text)
  const warnings = text.length < page.text.length ? [onlyBeginning] : []
  const entries = read({ ...page, text })
  if (entries === null) {
    const warning = `the page does not have the structure of the supported pages of ${domain}`
    return { data: [], warnings: [...warnings, warning] }
  }
  const data = thatFit(entries)
  if (data.length < entries.length)
    warnings.push(`data is limited to the first ${data.length} of ${entries.length} entries`)
  return { data, warnings }
}

const thatFit = (entries: readonly Entry[]): Entry[] =>
  firstThatFit(entries.slice(0, maxItems), maxCharacters, entry => JSON.stringify(entry).length)
