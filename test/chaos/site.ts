/**
 * Web sites without files: the answer for a path of a host is a pure function of the seed, so the expected pages are
 * computed and never stored. Each host is a tree of pages with leaves that are missing, have moved or are slow. Pages
 * also link across the tree, to other hosts, to redirects, and to paths that robots.txt forbids.
 */
import { chanceOf } from './random.ts'

/** `pages` is the total number of rows that the crawls of all hosts end with. */
export type Site = { seed: number; hosts: number; pages: number }
export type Place = { host: number; path: string }
export type Answer =
  | { status: 200; links: Place[]; slowMs: number }
  | { status: 302; to: Place }
  | { status: 404 }

/** Prefix of the paths that robots.txt forbids. They have no pages. */
export const forbidden = '/private/'
export const robotsText = `User-agent: *\nDisallow: ${forbidden}\n`

const branches = 5
const minSlowMs = 300
const maxSlowMs = 900
const leafKinds = [
  { kind: 'missing', upTo: 0.06 },
  { kind: 'moved', upTo: 0.12 },
  { kind: 'slow', upTo: 0.16 },
] as const
/** Links beyond those of the tree, with their probability and target. */
const extras: { chance: number; to: (site: Site, host: number, chance: number) => Place }[] = [
  { chance: 0.9, to: (site, host, at) => ({ host, path: pathOf(numberAt(site, host, at)) }) },
  { chance: 0.5, to: (site, host, at) => ({ host, path: pathOf(numberAt(site, host, at)) }) },
  { chance: 0.3, to: (site, host, at) => ({ host, path: `/again/${numberAt(site, host, at)}` }) },
  { chance: 0.2, to: (_, host, at) => ({ host, path: `${forbidden}${Math.floor(at * 1000)}` }) },
  { chance: 0.3, to: (site, host, at) => onOtherHost(site, host, at) },
  { chance: 0.1, to: (site, host, at) => ({ host, path: `/away/${numberAt(site, host, at)}` }) },
]

/** Returns the number of rows that the crawl of this host ends with. */
export const pagesOf = ({ hosts, pages }: Site, host: number): number =>
  Math.floor(pages / hosts) + (host < pages % hosts ? 1 : 0)

export function answerOf(site: Site, { host, path }: Place): Answer {
  const [, folder = '', number = ''] = path.split('/')
  const n = path === '/' ? 0 : Number(number)
  if (!Number.isInteger(n) || n < 0 || n >= pagesOf(site, host)) return { status: 404 }
  switch (path === '/' ? 'p' : folder) {
    case 'p':
      return pageAnswer(site, host, n)
    case 'moved':
      return { status: 200, links: [{ host, path: '/' }], slowMs: 0 }
    case 'again':
      return { status: 302, to: { host, path: pathOf(n) } }
    case 'away':
      return { status: 302, to: onOtherHost(site, host, chanceOf(site.seed, host, path)) }
    default:
      return { status: 404 }
  }
}

/** Returns the status of each path that the crawl of the host must end with. It walks the site. */
export function expectedRows(site: Site, host: number): Map<string, number> {
  return walk(site, host).rows
}

/** Returns every path of the host that must be requested once, except robots.txt. */
export function expectedPaths(site: Site, host: number): Set<string> {
  return walk(site, host).requested
}

function walk(site: Site, host: number): { rows: Map<string, number>; requested: Set<string> } {
  const rows = new Map<string, number>()
  const requested = new Set(['/'])
  for (const path of requested) {
    const answer = answerOf(site, { host, path })
    if (answer.status !== 302) rows.set(path, answer.status)
    const onward = answer.status === 302 ? [answer.to] : answer.status === 200 ? answer.links : []
    for (const to of onward) if (to.host === host && !to.path.startsWith(forbidden)) requested.add(to.path)
  }
  return { rows, requested }
}

function pageAnswer(site: Site, host: number, n: number): Answer {
  const slowMs = minSlowMs + Math.floor(chanceOf(site.seed, host, n, 'slow') * (maxSlowMs - minSlowMs))
  switch (kindOf(site, host, n)) {
    case 'missing':
      return { status: 404 }
    case 'moved':
      return { status: 302, to: { host, path: `/moved/${n}` } }
    case 'slow':
      return { status: 200, links: linksOf(site, host, n), slowMs }
    case 'plain':
      return { status: 200, links: linksOf(site, host, n), slowMs: 0 }
  }
}

/** Only leaves are missing, moved or slow, so that every page can be reached. */
function kindOf(site: Site, host: number, n: number): (typeof leafKinds)[number]['kind'] | 'plain' {
  const isLeaf = n * branches + 1 >= pagesOf(site, host)
  if (!isLeaf || n === 0) return 'plain'
  const chance = chanceOf(site.seed, host, n, 'kind')
  return leafKinds.find(({ upTo }) => chance < upTo)?.kind ?? 'plain'
}

function linksOf(site: Site, host: number, n: number): Place[] {
  const children = Array.from({ length: branches }, (_, i) => n * branches + i + 1)
    .filter(child => child < pagesOf(site, host))
    .map(child => ({ host, path: pathOf(child) }))
  const others = extras
    .filter(({ chance }, i) => chanceOf(site.seed, host, n, 'extra', i) < chance)
    .map(({ to }, i) => to(site, host, chanceOf(site.seed, host, n, 'to', i)))
  return [...children, ...others]
}

const pathOf = (n: number): string => (n === 0 ? '/' : `/p/${n}`)
const numberAt = (site: Site, host: number, chance: number): number =>
  Math.floor(chance * pagesOf(site, host))

/** Returns a page of another host, if there is one. */
function onOtherHost(site: Site, host: number, chance: number): Place {
  const to = (host + 1 + Math.floor(chance * (site.hosts - 1))) % site.hosts
  return { host: to, path: pathOf(numberAt(site, to, chance)) }
}
