/** Lists the element names of each kind of XML sitemap, by the name of its root element. */
import type { Extras, List } from './addresses.ts'

export type Format = {
  what: 'urlset' | 'index' | 'feed'
  /** Elements that each hold one address, with the list that receives it. */
  entries: ReadonlyMap<string, List>
  /** Child element with the address, in its text or in its attribute `href`. */
  address: string
  inAttribute?: true
  /** Child element with the date of change, a W3C date (sitemaps.org, "XML tag definitions"). */
  date?: string
}

/** Sites sometimes mix `urlset` and `sitemapindex`, so both accept the entries of both. */
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
 * Elements of extensions within an entry, by name without the prefix, which documents choose freely: images and
 * videos of a page (Google's schemas), and its versions in other languages (`xhtml:link`).
 */
export const extensions: ReadonlyMap<string, keyof Extras> = new Map([
  ['image', 'images'],
  ['video', 'videos'],
  ['link', 'alternates'],
])
