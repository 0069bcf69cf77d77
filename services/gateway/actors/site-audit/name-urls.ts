/** Finds the texts of URLs by their positions in an audited run: pages in the read model, others where pages name them. */
import type { OfRun } from '../../read-model/adapters/crawled-pages.ts'
import type { GraphPages } from '../link-graph/adapters/graph-pages.ts'
import type { UrlTexts } from './adapters/url-texts.ts'
import type { Finding } from './domain/finding-log.ts'
import type { Site } from './domain/site.ts'

export type NameUrlsPorts = { graphPages: Pick<GraphPages, 'urls'>; urlTexts: UrlTexts }

/** Names the URLs of the findings of these pages: the pages themselves, and the related URLs. */
export type NameUrls = (
  findings: readonly (Pick<Finding, 'related'> & { page: number })[],
) => Promise<(position: number) => string | undefined>

/** Maximum number of cached texts. */
const maxCached = 10_000

export function urlNamer({ graphPages, urlTexts }: NameUrlsPorts, run: OfRun, site: Site): NameUrls {
  const { pages, others } = site
  const firstFrom = firstLinking(site)
  const cache = new Map<string, string>()

  return async findings => {
    const wanted = new Map<number, number>() // each position with a page of a finding that names it
    for (const { page, related } of findings)
      for (const position of [page, ...related]) if (!wanted.has(position)) wanted.set(position, page)
    const keys = [...wanted.keys()].flatMap(position => pages.keys[position] ?? [])
    const urls = await graphPages.urls(run, keys)
    const named = [...wanted].flatMap(([position, page]) => {
      const other = others.all[position - pages.length]
      if (other === undefined || cache.has(other.key)) return []
      const naming = [firstFrom.get(position) ?? page, page].map(page => pages.keys[page] as string)
      return [{ key: other.key, pages: naming }]
    })
    if (cache.size > maxCached) cache.clear()
    if (named.length > 0) for (const [key, url] of await urlTexts(run, named)) cache.set(key, url)
    const keyAt = (position: number) => pages.keys[position] ?? others.all[position - pages.length]?.key ?? ''
    const texts = new Map([...wanted.keys()].map(at => [at, urls.get(keyAt(at)) ?? cache.get(keyAt(at))]))
    return position => texts.get(position)
  }
}

/** The first page with a link to each watched URL. */
function firstLinking({ links: { links } }: Site): Map<number, number> {
  const firsts = new Map<number, number>()
  for (let at = 0; at < links.length; at += 2) {
    const position = links[at + 1] as number
    if (!firsts.has(position)) firsts.set(position, links[at] as number)
  }
  return firsts
}
