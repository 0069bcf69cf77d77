/** The entries of a page as its scraper reads them, bounded. */
import { beginningOf } from '../content.ts'
import { mostItems, onlyBeginning } from './bounds.ts'
import type { Entry, Scraper, SitePage } from './scraper.ts'

export type SiteEntries = { data: Entry[]; warnings: string[] }

/** Of all entries together, as JSON. */
const mostCharacters = 4 * 1024 ** 2

/** A page of another shape has none, and that is said. */
export function readSite({ domain, read }: Scraper, page: SitePage): SiteEntries {
  const text = beginningOf(page.text)
  const warnings = text.length < page.text.length ? [onlyBeginning] : []
  const entries = read({ ...page, text })
  if (entries === null) {
    const warning = `the page has another shape than the pages of ${domain} that are read here`
    return { data: [], warnings: [...warnings, warning] }
  }
  const data = thatFit(entries)
  if (data.length < entries.length)
    warnings.push(`data are the first ${data.length} of ${entries.length} entries`)
  return { data, warnings }
}

function thatFit(entries: Entry[]): Entry[] {
  let room = mostCharacters
  const end = entries.slice(0, mostItems).findIndex(entry => {
    room -= JSON.stringify(entry).length
    return room < 0
  })
  return entries.slice(0, end === -1 ? mostItems : end)
}
