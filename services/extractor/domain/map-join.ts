/** Joins the URLs of a site into one list without duplicates, the home page and its links first. */
import type { MapItem } from '@tidemark/contracts/http/map'

/** A link target with its text. */
export type Named = { url: string; title: string }

/** Items per step. */
const perStep = 1_000

/**
 * @param named the home page and its links
 * @param dated URLs of the sitemaps with their dates of change; empty if absent
 */
export function* joinSteps(
  named: Iterable<Named>,
  dated: ReadonlyMap<string, string>,
): Generator<void, MapItem[]> {
  const items: MapItem[] = []
  const listed = new Set<string>()
  for (const { url, title } of named) {
    if (listed.has(url)) continue
    listed.add(url)
    items.push(itemOf(url, title, dated.get(url)))
  }
  for (const [url, date] of dated) {
    if (!listed.has(url)) items.push(itemOf(url, '', date))
    if (items.length % perStep === 0) yield
  }
  return items
}

const itemOf = (url: string, title: string, date: string | undefined): MapItem => ({
  url,
  ...(title !== '' && { title }),
  ...(date && { lastmod: date }),
  source: date === undefined ? 'link' : 'sitemap',
})

/** Returns the first items that fit into a number of items and of characters. */
export function thatFit(items: MapItem[], maxCount: number, maxCharacters: number): MapItem[] {
  let characters = 0
  let count = 0
  for (const { url, title = '', lastmod = '' } of items) {
    characters += url.length + title.length + lastmod.length + 64
    if (count === maxCount || characters > maxCharacters) break
    count++
  }
  return items.slice(0, count)
}
