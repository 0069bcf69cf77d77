/** Builds the small site that an audit has read, with the faults that a test plants. */
import type { AuditRules, SiteFacts } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey, urlKey } from '@tidemark/url/key'
import { lackingRules } from './described-rules.ts'
import { FindingLog } from './finding-log.ts'
import { OtherUrls } from './other-urls.ts'
import { applySiteRules } from './rules/table.ts'
import { positionsOf, type Site } from './site.ts'
import { SitePages } from './site-pages.ts'

/** A page with its planted facts. Numbers stand for the hashes of texts: equal numbers are equal texts. */
export type PlantedPage = {
  status?: number
  title?: number
  titleLike?: number
  description?: number
  descriptionLike?: number
  text?: number
  simhash?: [number, number]
  words?: number
  isNoindex?: true
  canonical?: string
  alternates?: string[]
  refresh?: string
  links?: string[]
  nofollow?: string[]
  isHtml?: false
  isAudited?: false
}

export type PlantedSite = {
  pages: Record<string, PlantedPage>
  /** URLs without a page, each with its reason. */
  failed?: Record<string, string>
  redirects?: Record<string, string>
  hasSitemaps?: true
  isIncomplete?: true
  /** The run read listed URLs only. */
  isListed?: true
  isCut?: true
  /** The lists of links that exceed their limits. */
  cutLinks?: ('isCut' | 'isWatchedCut')[]
  lacksTimes?: true
  /** Default: the first page. */
  start?: string | null
}

const numberOf = (path: string): number => numberOfKey(urlKey(`https://a.example${path}`))
const keyOf = (path: string): string => urlKey(`https://a.example${path}`)

function factsOf(path: string, page: PlantedPage, unique: number): SiteFacts | null {
  if (page.isHtml === false) return null
  return {
    isIndexed: page.isNoindex !== true,
    words: page.words ?? 200,
    title: page.title ?? unique,
    titleLike: page.titleLike ?? page.title ?? unique,
    description: page.description ?? unique,
    descriptionLike: page.descriptionLike ?? page.description ?? unique,
    text: page.text ?? unique,
    simhash: page.simhash ?? [Math.imul(unique, 0x9e3779b1) >>> 0, Math.imul(unique, 0x85ebca6b) >>> 0],
    canonical: numberOf(page.canonical ?? path),
    alternates: (page.alternates ?? []).map(numberOf),
    ...(page.refresh !== undefined && { refresh: numberOf(page.refresh) }),
  }
}

/** Returns the site with its links, without any finding of a page or of the site. */
export function siteOf({ pages: planted, failed = {}, redirects = {}, ...more }: PlantedSite): Site {
  const pages = new SitePages()
  const paths = Object.keys(planted)
  for (const [n, path] of paths.entries()) {
    const page = planted[path] as PlantedPage
    pages.add({
      id: n + 100,
      key: keyOf(path),
      status: page.status ?? 200,
      facts: factsOf(path, page, 1_000_003 * (n + 1)),
      isAudited: page.isAudited ?? true,
    })
  }
  const others = new OtherUrls()
  for (const [path, reason] of Object.entries(failed)) others.note(reason, [keyOf(path)], null)
  for (const [from, to] of Object.entries(redirects)) others.note('redirected', [keyOf(from)], [keyOf(to)])
  const byKey = new Map(pages.keys.map((key, page) => [key, page]))
  others.resolve(key => byKey.get(key))
  const positions = positionsOf(pages, others)
  const {
    start = paths[0] ?? null,
    hasSitemaps = false,
    isIncomplete = false,
    isListed = false,
    isCut = false,
    cutLinks = [],
    lacksTimes = false,
  } = more
  const startPage = start === null ? -1 : paths.indexOf(start)
  const links = linksOf(planted, { pages, others, positions, start: startPage })
  const site: Site = {
    ...{ runId: 1, pages, isCut, others, positions, start: startPage, hasSitemaps, hasTimes: !lacksTimes },
    isComplete: !isIncomplete,
    hasFollowed: !isListed,
    ...{ log: new FindingLog(), unread: new Map(), warnings: [], total: pages.length, notApplied: new Map() },
    links: { ...links, ...Object.fromEntries(cutLinks.map(list => [list, true])) },
  }
  return { ...site, notApplied: lackingRules({ rules: [timed] }, site) }
}

/** A rule of pages that needs their response times. */
const timed: AuditRules['rules'][number] = {
  ...{ id: 'x/timed', severity: 'info', needs: 'time' },
  ...{
    finds: 'A slow page.',
    reason: 'It is slow.',
    source: { name: 'A source', url: 'https://a.example/' },
  },
}

type Placed = Pick<Site, 'pages' | 'others' | 'positions' | 'start'>

function linksOf(planted: PlantedSite['pages'], { pages, others, positions, start }: Placed): Site['links'] {
  const count = pages.length
  const endOf = (at: number) => (at < count ? at : (others.all[at - count]?.end ?? -1))
  const targets = (paths: string[] = []) => paths.flatMap(path => positions.get(numberOf(path)) ?? [])
  const all = Object.values(planted)
  const followed = all.map(({ links }) => targets(links))
  const links = followed.flatMap((to, from) =>
    [...new Set([...to, ...targets(all[from]?.nofollow)])]
      .filter(at => at >= count || pages.isBroken(at))
      .flatMap(at => [from, at]),
  )
  const clicks = new Int32Array(count).fill(-1)
  const line = start < 0 ? [] : [start]
  if (start >= 0) clicks[start] = 0
  for (const from of line)
    for (const to of (followed[from] ?? []).map(endOf))
      if (to >= 0 && clicks[to] === -1) {
        clicks[to] = (clicks[from] as number) + 1
        line.push(to)
      }
  const linking = (lists: number[][]) =>
    Array.from(
      { length: count },
      (_, to) => lists.filter((list, from) => from !== to && list.map(endOf).includes(to)).length,
    )
  const both = followed.map((to, from) => [...to, ...targets(all[from]?.nofollow)])
  return {
    scores: new Float64Array(count).fill(1 / count),
    linked: Uint8Array.from(linking(both), n => Number(n > 0)),
    inlinks: Uint32Array.from(linking(followed)),
    clicks,
    links: Uint32Array.from(links),
    ...{ isCut: false, isWatchedCut: false },
  }
}

/** Applies all rules. Returns the findings as rule, path and count. */
export async function findingsIn(planted: PlantedSite): Promise<[string, string, number | null][]> {
  const site = siteOf(planted)
  for (const _ of site.pages.ids) site.log.addPage([])
  await applySiteRules(site, async () => {})
  return Object.keys(planted.pages).flatMap((path, page) =>
    site.log.of(page).map(({ rule, count }): [string, string, number | null] => [rule, path, count]),
  )
}
