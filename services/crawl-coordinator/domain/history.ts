/** What a run did with one URL, from the run's own events, in their order. */
import type { UrlAttempt, Verdict } from '@tidemark/contracts/http/explain'
import type { FoundUrl, RunCommit, RunEvent, StopReason } from '@tidemark/contracts/run'
import type { Lane } from '@tidemark/contracts/subjects'
import { saysOff } from './rendering.ts'

/** One event about one page: the last that decided what becomes of the URL. */
export type Ruling = Extract<
  RunEvent,
  { type: 'PagesAdmitted' | 'PagesDeferred' | 'PagesSkipped' | 'PagesFiltered' | 'PagesPruned' }
>

export type History = {
  /** Where it stands; null where the run has never judged it. */
  place: Exclude<Verdict, 'never_seen'> | null
  /** How it was found first. What was left out at once has no depth of its own. */
  found: { from: string | null; depth: number | null; at: string; sequence: number } | null
  /** As it was admitted or deferred last. */
  admitted: FoundUrl | null
  ruling: Ruling | null
  attempts: UrlAttempt[]
  /** By what it is fetched. */
  lane: Lane
  failure: string | null
  pageId: number | null
  /** It is a sitemap of the run, or named as one. */
  isSitemap: boolean
  /** Every URL that was judged, by key, for the names of others. */
  urls: Map<string, Named>
  /** Every redirect between two URLs of the run. */
  redirects: Map<string, { of: string; at: string }>
  /** Why the run ended; null while it goes on. */
  stopReason: StopReason | null
}

export type Named = Pick<FoundUrl, 'url' | 'from'> & Partial<Pick<FoundUrl, 'depth' | 'hops'>>
export type Stored = { sequence: number; commit: RunCommit }
type When = { at: string; sequence: number }
type Name = RunEvent['type']
type Readings = {
  [N in Name]?: (past: History, key: string, data: Extract<RunEvent, { type: N }>['data'], when: When) => void
}

/** Of a URL of which nothing is known yet. */
export function emptyHistory(): History {
  return {
    place: null,
    found: null,
    admitted: null,
    ruling: null,
    attempts: [],
    lane: 'http',
    failure: null,
    pageId: null,
    isSitemap: false,
    urls: new Map(),
    redirects: new Map(),
    stopReason: null,
  }
}

/**
 * Adds what one commit says; they are added in their order.
 * @param key of the URL
 */
export function addToHistory(past: History, key: string, { sequence, commit }: Stored): void {
  for (const event of commit.events) {
    const read = readings[event.type] as Readings[Name] as
      | ((past: History, key: string, data: unknown, when: When) => void)
      | undefined
    read?.(past, key, event.data, { at: commit.at, sequence })
  }
}

const readings: Readings = {
  RunQueued(past, _key, { settings }) {
    if (settings.render === 'always') past.lane = 'browser'
  },
  PagesAdmitted(past, key, { pages }, when) {
    const page = named(past, pages, key)
    if (page) rule(past, { type: 'PagesAdmitted', data: { pages: [page] } }, when)
  },
  PagesDeferred(past, key, { limit, pages }, when) {
    const page = named(past, pages, key)
    if (page) rule(past, { type: 'PagesDeferred', data: { limit, pages: [page] } }, when)
  },
  PagesSkipped(past, key, { reason, pages }, when) {
    const page = named(past, pages, key)
    if (!page) return
    rule(past, { type: 'PagesSkipped', data: { reason, pages: [page] } }, when)
    endAttempt(past, when, { outcome: 'skipped', reason: page.rule })
  },
  PagesFiltered(past, key, { by, pages }, when) {
    const page = named(past, pages, key)
    if (page) rule(past, { type: 'PagesFiltered', data: { by, pages: [page] } }, when)
  },
  PagesPruned(past, key, { rule: trap, pages }, when) {
    const page = named(past, pages, key)
    if (page) rule(past, { type: 'PagesPruned', data: { rule: trap, pages: [page] } }, when)
  },
  PagesOrdered(past, key, { messages }, when) {
    const message = messages.find(({ keys }) => keys.includes(key))
    if (message && !message.again) beginAttempt(past, when)
  },
  PagesSettled(past, key, { pages }, when) {
    const page = pageOf(pages, key)
    if (!page) return
    past.place = 'fetched'
    past.pageId = page.id
    endAttempt(past, when, { outcome: 'fetched', reason: null })
  },
  PagesDuplicated(past, key, { pages }, when) {
    for (const { key, of } of pages) past.redirects.set(key, { of, at: when.at })
    if (!pageOf(pages, key)) return
    past.place = 'duplicate'
    endAttempt(past, when, { outcome: 'redirected', reason: null })
  },
  PagesRetried(past, key, { pages }, when) {
    const page = pageOf(pages, key)
    if (page) retry(past, when, page)
    past.lane = page?.lane ?? (isTurnedOff(past, pages) ? 'http' : past.lane)
  },
  PagesFailed(past, key, { pages }, when) {
    const page = pageOf(pages, key)
    if (!page) return
    past.place = 'failed'
    past.failure = page.reason
    past.found ??= { from: null, depth: null, ...when }
    endAttempt(past, when, { outcome: 'failed', reason: page.reason })
  },
  SitemapOrdered(past, key, sitemap, when) {
    if (sitemap.key !== key) return
    past.isSitemap = true
    if (!sitemap.again) beginAttempt(past, when)
  },
  SitemapRead(past, key, sitemap, when) {
    if (sitemap.key === key) endAttempt(past, when, { outcome: 'fetched', reason: null })
  },
  SitemapFailed(past, key, sitemap, when) {
    if (sitemap.key === key) endAttempt(past, when, { outcome: 'failed', reason: sitemap.reason })
  },
  SitemapRetried(past, key, sitemap, when) {
    if (sitemap.key === key) retry(past, when, { reason: null, notBefore: sitemap.notBefore })
  },
  RunFinished(past, _key, { stopReason }) {
    past.stopReason = stopReason
    if (past.place === 'pending') past.place = 'not_reached'
  },
}

/** There is no browser, and none has the page now. */
const isTurnedOff = ({ attempts }: History, pages: readonly { reason: string; lane?: Lane }[]): boolean =>
  attempts.at(-1)?.outcome !== 'pending' &&
  pages.some(({ reason, lane }) => lane === 'http' && saysOff(reason))

const places = {
  PagesAdmitted: 'pending',
  PagesDeferred: 'not_reached',
  PagesSkipped: 'skipped',
  PagesFiltered: 'skipped',
  PagesPruned: 'skipped',
} as const

function rule(past: History, ruling: Ruling, when: When): void {
  past.ruling = ruling
  past.place = places[ruling.type]
  const [page] = ruling.data.pages
  if (page && 'depth' in page) past.admitted = page
  const depth = page && 'depth' in page ? page.depth : depthBelow(past, page?.from)
  past.found ??= { from: page?.from ?? null, depth, ...when }
}

function depthBelow({ urls }: History, from: string | null | undefined): number | null {
  const above = urls.get(from ?? '')
  return above?.depth === undefined ? null : above.depth + 1
}

function beginAttempt(past: History, { at }: When): void {
  const attempt = past.attempts.length + 1
  past.attempts.push({
    attempt,
    by: past.isSitemap ? 'http' : past.lane,
    ordered_at: at,
    ended_at: null,
    outcome: 'pending',
    reason: null,
    not_before: null,
  })
}

/** Links of a page may be admitted and the page be skipped before anybody has asked for it: then there is none to end. */
function endAttempt(past: History, { at }: When, end: Partial<UrlAttempt>): void {
  const last = past.attempts.at(-1)
  if (last?.outcome === 'pending') Object.assign(last, { ended_at: at, ...end })
}

function retry(past: History, when: When, of: { reason: string | null; notBefore: string }): void {
  endAttempt(past, when, { outcome: 'retried', reason: of.reason, not_before: of.notBefore })
}

/** Notes the names of judged pages, and gives the one that is asked for. */
function named<P extends Named & { key: string }>(
  past: History,
  pages: readonly P[],
  key: string,
): P | undefined {
  for (const page of pages) past.urls.set(page.key, page)
  return pageOf(pages, key)
}

const pageOf = <P extends { key: string }>(pages: readonly P[], key: string): P | undefined =>
  pages.find(page => page.key === key)
