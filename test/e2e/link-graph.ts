/**
 * An independent way to the link graph of a site and its orphans: regular expressions find the tags in the raw files,
 * without a parser and without our code. The API's answers about a crawl of the site are compared with it.
 */
import type { System } from './system.ts'
import { withoutEntities } from './without-entities.ts'

export type SiteLink = { to: string; nofollow: boolean }

export type SiteGraph = {
  /** The links of each page within its host, in order. */
  links: Map<string, SiteLink[]>
  /** Sorted. */
  orphans: string[]
}

/** The response of a URL. `requestedAs` are the URLs that redirected to it. */
export type RawPage = { url: string; requestedAs: string[]; html: string }

/** Returns every page of the same host that can be reached from the start by links, image maps and refreshes. */
export async function rawPages(start: string): Promise<RawPage[]> {
  const pages = new Map<string, RawPage>()
  const queue = [start]
  const seen = new Set(queue)
  for (let requested = queue.shift(); requested !== undefined; requested = queue.shift()) {
    const response = await fetch(requested)
    const isHtml = response.headers.get('content-type')?.includes('html') ?? false
    const text = await response.text()
    const page = pages.get(response.url) ?? { url: response.url, requestedAs: [], html: isHtml ? text : '' }
    if (requested !== page.url) page.requestedAs.push(requested)
    pages.set(page.url, page)
    const targets = [...linksIn(page).map(({ to }) => to), ...refreshesIn(page)]
    for (const target of targets) {
      if (seen.has(target) || new URL(target).host !== new URL(start).host) continue
      seen.add(target)
      queue.push(target)
    }
  }
  return [...pages.values()]
}

/**
 * Returns the graph of the pages.
 * @param start the seed of the crawl; neither it nor its redirect target is an orphan
 */
export function graphOf(pages: RawPage[], start: string): SiteGraph {
  const pageOfUrl = new Map(pages.flatMap(page => [page.url, ...page.requestedAs].map(url => [url, page])))
  const linked = new Set([pageOfUrl.get(start)])
  const links = new Map<string, SiteLink[]>()
  for (const page of pages) {
    const found = linksIn(page)
    for (const { to } of found) if (pageOfUrl.get(to) !== page) linked.add(pageOfUrl.get(to))
    links.set(
      page.url,
      found.filter(({ to }) => new URL(to).host === new URL(page.url).host),
    )
  }
  const orphans = pages.filter(page => !linked.has(page)).map(({ url }) => url)
  return { links, orphans: orphans.sort() }
}

/** Returns the graph of a run from the API, with complete lists. */
export async function graphFromApi(call: System['call'], key: string, runId: number): Promise<SiteGraph> {
  const get = (path: string) => call(key, 'GET', `/v1/crawls/${runId}/${path}`)
  const all = async (list: string) => {
    const items = []
    for (let offset: number | null = 0; offset !== null; ) {
      const { status, body } = await get(`${list}?limit=100000&offset=${offset}`)
      if (status !== 200) throw new Error(`/${list} answered ${status}: ${JSON.stringify(body)}`)
      items.push(...body.items)
      offset = body.next_offset
    }
    return items
  }
  const urls = new Map<number, string>((await all('pages')).map(({ id, url }) => [id, url]))
  const links = new Map<string, SiteLink[]>([...urls.values()].map(url => [url, []]))
  for (const { from_page_id, to_url, nofollow } of await all('links')) {
    links.get(urls.get(from_page_id) ?? '')?.push({ to: to_url, nofollow })
  }
  const orphans: { url: string }[] = (await get('orphans')).body.items
  return { links, orphans: orphans.map(({ url }) => url).sort() }
}

/** Returns sentences for the first differences of two graphs. */
export function differences(known: SiteGraph, found: SiteGraph, max = 5): string[] {
  const pages = new Set([...known.links.keys(), ...found.links.keys()])
  const ofPages = [...pages].flatMap(url => {
    const [ours, theirs] = [known, found].map(({ links }) => JSON.stringify(links.get(url) ?? null))
    return ours === theirs ? [] : [`links of ${url}: ${ours} is known, ${theirs} was found`]
  })
  const ofOrphans = [
    ...known.orphans.filter(url => !found.orphans.includes(url)).map(url => `${url} is an orphan`),
    ...found.orphans.filter(url => !known.orphans.includes(url)).map(url => `${url} is not an orphan`),
  ]
  return [...ofOrphans, ...ofPages].slice(0, max)
}

/** Returns all links of a page in order, to any host. Links to a fragment of the page itself do not count. */
function linksIn({ url, html }: RawPage): SiteLink[] {
  const tags = tagsIn(html)
  const base = tags.find(({ name, attributes }) => name === 'base' && attributes.has('href'))
  const from = resolve(base?.attributes.get('href') ?? '', url) ?? url
  return tags.flatMap(({ name, attributes }) => {
    const href = attributes.get('href')
    if (name === 'base' || name === 'meta' || href === undefined || /^\s*#/.test(href)) return []
    const to = resolve(href, from)
    const nofollow = /(^|\s)nofollow(\s|$)/i.test(attributes.get('rel') ?? '')
    return to === null ? [] : [{ to, nofollow }]
  })
}

function refreshesIn({ url, html }: RawPage): string[] {
  return tagsIn(html).flatMap(({ name, attributes }) => {
    if (name !== 'meta' || attributes.get('http-equiv')?.toLowerCase() !== 'refresh') return []
    const [, target] = /^\s*\d+\s*[;,]\s*url\s*=\s*["']?([^"']*)/i.exec(attributes.get('content') ?? '') ?? []
    return (target === undefined ? null : resolve(target.trim(), url)) ?? []
  })
}

type Tag = { name: string; attributes: Map<string, string> }

function tagsIn(html: string): Tag[] {
  const visible = html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(script|style|textarea|title)\b[\s\S]*?<\/\1\s*>/gi, '')
  const tags = visible.matchAll(/<(a|area|base|meta)((?=[\s/>])(?:"[^"]*"|'[^']*'|[^>"'])*)>/gi)
  return [...tags].map(([, name = '', rest = '']) => ({
    name: name.toLowerCase(),
    attributes: attributesIn(rest),
  }))
}

/** Returns the attributes. If one occurs twice, the first counts. */
function attributesIn(text: string): Map<string, string> {
  const found = text.matchAll(/([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)
  const all = [...found].map(
    ([, name = '', double, single, bare]) =>
      [name.toLowerCase(), withoutEntities(double ?? single ?? bare ?? '')] as const,
  )
  return new Map(all.reverse())
}

function resolve(href: string, base: string): string | null {
  if (!URL.canParse(href, base)) return null
  const url = new URL(href, base)
  url.hash = ''
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
}
