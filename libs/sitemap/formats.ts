/** How each kind of XML sitemap names its parts: a table by the name of the first element. */
import type { Extras, List } from './addresses.ts'

export type Format = {
  what: 'urlset' | 'index' | 'feed'
  /** Elements that stand for one address each, and the list that it goes to. */
  entries: ReadonlyMap<string, List>
  /** The child that holds the address: as its text, or in its attribute `href`. */
  address: string
  inAttribute?: true
  /** The child that says when the page was changed, as W3C date (sitemaps.org, "XML tag definitions"). */
  date?: string
}

/** Each is found in the other's place now and then, so both are known everywhere. */
const entries = new Map<string, List>([
  ['url', 'urls'],
  ['sitemap', 'sitemaps'],
])
const items = new Map<string, List>([['item', 'urls']])
const atomEntries = new Map<string, List>([['entry', 'urls']])

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['urlset', { what: 'urlset', entries, address: 'loc', date: 'lastmod' }],
  ['sitemapindex', { what: 'index', entries, address: 'loc' }],
  ['rss', { what: 'feed', entries: items, address: 'link' }],
  ['feed', { what: 'feed', entries: atomEntries, address: 'link', inAttribute: true, date: 'updated' }],
])

/**
 * Elements of extensions within an entry, by their names without the prefix that a document may choose: pictures
 * and videos of a page (Google's schemas), and its versions in other languages (`xhtml:link`).
 */
export const extensions: ReadonlyMap<string, keyof Extras> = new Map([
  ['image', 'images'],
  ['video', 'videos'],
  ['link', 'alternates'],
])
