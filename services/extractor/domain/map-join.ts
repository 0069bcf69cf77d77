/** Joins what a site says of its addresses into one list: each once, the home page and what it links to first. */
import type { MapItem } from '@tidemark/contracts/http/map'

/** An address by a link, with the words that stand for it. */
export type Named = { url: string; title: string }

/** Items that are made at a time. */
const perStep = 1_000

/**
 * @param named the home page and what it links to
 * @param dated what the sitemaps list, by when it was changed; empty where that is not said
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

/** As many of the items as fit into so many characters of text. */
export function thatFit(items: MapItem[], most: number, mostCharacters: number): MapItem[] {
  let characters = 0
  let count = 0
  for (const { url, title = '', lastmod = '' } of items) {
    characters += url.length + title.length + lastmod.length + 64
    if (count === most || characters > mostCharacters) break
    count++
  }
  return items.slice(0, count)
}
