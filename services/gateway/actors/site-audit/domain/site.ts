/** All that is known of an audited run. Positions of URLs count the pages first, and then the other URLs. */
import type { LinksMapped } from '@tidemark/contracts/rpc/site-audit'
import { numberOfKey } from '@tidemark/url/key'
import type { FindingLog } from './finding-log.ts'
import type { OtherUrls } from './other-urls.ts'
import type { SitePages } from './site-pages.ts'

/** The facts of a run in the read model. */
export type RunFacts = {
  /** Number of pages to audit. */
  pages: number
  /** Whether the run has more pages than an audit reads. */
  isCut: boolean
  hasEnded: boolean
  /** Whether the run read a sitemap, and so followed no links. */
  hasSitemaps: boolean
  /** Whether the run found a page by a link. If not, it only read listed URLs. */
  hasFollowed: boolean
  /** Whether the run has ended, and has read all URLs that it found. */
  isComplete: boolean
  /** URL keys of the possible starts: the seed, and the root of its host. */
  starts: string[]
  others: OtherUrls
}

export type Site = Pick<RunFacts, 'isCut' | 'hasSitemaps' | 'hasFollowed' | 'isComplete' | 'others'> & {
  runId: number
  pages: SitePages
  /** Number of pages of the run, even if none of them is stored. */
  total: number
  links: SiteLinks
  log: FindingLog
  /** Position of the seed, or of the page to which it leads; -1: none. */
  start: number
  /** Whether the response time of a page is stored. */
  hasTimes: boolean
  /** The rules that do not apply to the run, each with the reason: a missing finding of theirs proves nothing. */
  notApplied: ReadonlyMap<string, string>
  /** Position of each URL by `numberOfKey`. */
  positions: ReadonlyMap<number, number>
  /** Number of pages that were not audited, by reason. */
  unread: Map<string, number>
  warnings: string[]
}

/** `LinksMapped` as numbers. */
export type SiteLinks = {
  scores: Float64Array
  linked: Uint8Array
  inlinks: Uint32Array
  clicks: Int32Array
  /** Positions of page and URL of each link to a watched URL, by page. */
  links: Uint32Array
  /** Whether links beyond the limit were not read, so that `scores`, `inlinks` and `clicks` are incomplete. */
  isCut: boolean
  /** Whether `links` is incomplete. */
  isWatchedCut: boolean
}

export function siteLinksOf(mapped: LinksMapped): SiteLinks {
  const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))
  return {
    scores: new Float64Array(bytes(mapped.scores).buffer),
    linked: bytes(mapped.linked),
    inlinks: new Uint32Array(bytes(mapped.inlinks).buffer),
    clicks: new Int32Array(bytes(mapped.clicks).buffer),
    links: new Uint32Array(bytes(mapped.links).buffer),
    isCut: mapped.isCut,
    isWatchedCut: mapped.isWatchedCut,
  }
}

/** The links of a run whose links cannot be read, or that has no pages. */
export const noLinks: SiteLinks = {
  scores: new Float64Array(0),
  linked: new Uint8Array(0),
  inlinks: new Uint32Array(0),
  clicks: new Int32Array(0),
  links: new Uint32Array(0),
  isCut: false,
  isWatchedCut: false,
}

export function positionsOf({ numbers }: SitePages, { all }: OtherUrls): Map<number, number> {
  const positions = new Map(numbers.map((number, page) => [number, page]))
  for (const [n, { key }] of all.entries()) {
    const number = numberOfKey(key)
    if (!positions.has(number)) positions.set(number, numbers.length + n)
  }
  return positions
}

/** Returns the pages to which the start forwards by meta refreshes, directly or by redirects. */
export function forwardsOf({
  pages,
  others,
  positions,
  start,
}: Pick<Site, 'pages' | 'others' | 'positions' | 'start'>): number[] {
  const found = new Set<number>()
  for (let page = start; page >= 0 && !found.has(page); ) {
    found.add(page)
    const position = positions.get(pages.refreshes.get(page) ?? 0) ?? -1
    page = position < pages.length ? position : (others.all[position - pages.length]?.end ?? -1)
  }
  return [...found].filter(page => page !== start)
}

/** Returns the number of audited pages. */
export const auditedPages = ({ total, unread }: Pick<Site, 'total' | 'unread'>): number =>
  total - unread.values().reduce((sum, count) => sum + count, 0)
