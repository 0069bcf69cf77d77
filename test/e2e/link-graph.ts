/**
 * Another way to the link graph of a site and its orphans: tags found by regular expressions in the raw files, no
 * parser and no code of ours. What the API answers for a crawl of the site is held against it.
 */
import type { System } from './system.ts'
import { withoutEntities } from './without-entities.ts'

export type SiteLink = { to: string; nofollow: boolean }

export type SiteGraph = {
  /** Of each page the links to its own host, in their order. */
  links: Map<string, SiteLink[]>
  /** Sorted. */
  orphans: string[]
}

/** A file as its URL answered; `askedAs` are the URLs that redirected to it. */
export type RawPage = { url: string; askedAs: string[]; html: string }

/** Every page that can be reached from the start on its own host, by links, image maps and refreshes. */
export async function rawPages(start: string): Promise<RawPage[]> {
  const pages = new Map<string, RawPage>()
  const queue = [start]
  const seen = new Set(queue)
  for (let asked = queue.shift(); asked !== undefined; asked = queue.shift()) {
    const response = await fetch(asked)
    const isHtml = response.headers.get('content-type')?.includes('html') ?? false
    const text = await response.text()
    const page = pages.get(response.url) ?? { url: response.url, askedAs: [], html: isHtml ? text : '' }
    if (asked !== page.url) page.askedAs.push(asked)
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

/** @param start where the crawl began: it is no orphan, nor what it redirected to */
export function graphOf(pages: RawPage[], start: string): SiteGraph {
  const places = new Map(pages.flatMap(page => [page.url, ...page.askedAs].map(url => [url, page])))
  const linked = new Set([places.get(start)])
  const links = new Map<string, SiteLink[]>()
  for (const page of pages) {
    const found = linksIn(page)
    for (const { to } of found) if (places.get(to) !== page) linked.add(places.get(to))
    links.set(
      page.url,
      found.filter(({ to }) => new URL(to).host === new URL(page.url).host),
    )
  }
  const orphans = pages.filter(page => !linked.has(page)).map(({ url }) => url)
  return { links, orphans: orphans.sort() }
}

/** The same as the API has it for a run, each list read whole. */
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

/** The first things in which two graphs differ, in words; none when they are the same. */
export function differences(known: SiteGraph, found: SiteGraph, most = 5): string[] {
  const pages = new Set([...known.links.keys(), ...found.links.keys()])
  const ofPages = [...pages].flatMap(url => {
    const [ours, theirs] = [known, found].map(({ links }) => JSON.stringify(links.get(url) ?? null))
    return ours === theirs ? [] : [`links of ${url}: ${ours} is known, ${theirs} was found`]
  })
  const ofOrphans = [
    ...known.orphans.filter(url => !found.orphans.includes(url)).map(url => `${url} is an orphan`),
    ...found.orphans.filter(url => !known.orphans.includes(url)).map(url => `${url} is no orphan`),
  ]
  return [...ofOrphans, ...ofPages].slice(0, most)
}

/** All links of a page wherever they lead, in their order. A place in the page itself is no link. */
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

/** Of an attribute that stands twice, the first. */
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
