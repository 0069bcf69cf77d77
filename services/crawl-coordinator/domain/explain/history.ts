/** Collects the history of one URL in a run from the run's events in their order. */
import type { UrlAttempt, Verdict } from '@tidemark/contracts/http/explain'
import type { FoundUrl, RunCommit, RunEvent, RunEventData } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { Lane } from '@tidemark/contracts/subjects'
import { listedUrls } from '@tidemark/url/listed'
import { isBrowserOff } from '../rendering.ts'
import { originOf } from '../run.ts'
import { attemptAt, endAttempt, retry, type When } from './attempts.ts'

/** The last event that decided about the URL, reduced to this URL. */
export type Ruling = Extract<
  RunEvent,
  { type: 'PagesAdmitted' | 'PagesDeferred' | 'PagesSkipped' | 'PagesFiltered' | 'PagesPruned' }
>

export type History = {
  /** The current verdict; null if the run has never judged the URL. */
  verdict: Exclude<Verdict, 'never_seen'> | null
  /** Where the URL was found first. Without a known source, the depth is null. */
  found: { from: string | null; depth: number | null; at: string; sequence: number } | null
  /** The URL at its last admission or deferral. */
  admitted: FoundUrl | null
  ruling: Ruling | null
  attempts: UrlAttempt[]
  /** Attempts at the robots.txt of its site, which is fetched first. */
  ofRobots: UrlAttempt[]
  /** The lane that fetches the URL. */
  lane: Lane
  failure: string | null
  pageId: number | null
  /** Whether the URL was ordered as a sitemap of the run. */
  isSitemap: boolean
  /** Whether the client lists the URL besides the seed. */
  isListed: boolean
  /** Depth of URLs that no page led to: 0 for the seed, 1 if the run has a sitemap as seed, which lists them. */
  depthOfListed: 0 | 1
  /** Every judged URL by key, to resolve references. */
  urls: Map<string, Named>
  /** Every redirect between two URLs of the run. */
  redirects: Map<string, { of: string; at: string }>
  /** The reason of the run's end; null while it is in progress. */
  stopReason: StopReason | null
  /** Keys of the failed URLs of the run, in the order of their failures. */
  failed: string[]
}

export type Named = Pick<FoundUrl, 'url' | 'from'> & Partial<Pick<FoundUrl, 'depth' | 'hops'>>
export type Stored = { sequence: number; commit: RunCommit }
type Name = RunEvent['type']
type Readings = { [N in Name]?: (past: History, key: string, data: RunEventData<N>, when: When) => void }

/** Returns the history of a URL before the first event. */
export function emptyHistory(): History {
  return {
    verdict: null,
    found: null,
    admitted: null,
    ruling: null,
    attempts: [],
    ofRobots: [],
    lane: 'http',
    failure: null,
    pageId: null,
    isSitemap: false,
    isListed: false,
    depthOfListed: 0,
    urls: new Map(),
    redirects: new Map(),
    stopReason: null,
    failed: [],
  }
}

/**
 * Adds the events of one commit. Add commits in their order.
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
  RunQueued(past, key, { url, settings }) {
    if (settings.render === 'always') past.lane = 'browser'
    if (settings.seedKind === 'sitemap') past.depthOfListed = 1
    past.isListed = listedUrls(url, settings.urls).has(key)
  },
  RunStarted(past, _key, _data, when) {
    if (!past.isListed) return
    past.verdict = 'pending'
    past.found = { from: null, depth: 1, ...when }
  },
  PagesAdmitted: (past, key, data, when) => judge(past, key, { type: 'PagesAdmitted', data }, when),
  PagesDeferred: (past, key, data, when) => judge(past, key, { type: 'PagesDeferred', data }, when),
  PagesFiltered: (past, key, data, when) => judge(past, key, { type: 'PagesFiltered', data }, when),
  PagesPruned: (past, key, data, when) => judge(past, key, { type: 'PagesPruned', data }, when),
  PagesSkipped(past, key, data, when) {
    judge(past, key, { type: 'PagesSkipped', data }, when)
    const page = pageOf(data.pages, key)
    if (page) endAttempt(past.attempts, when, { outcome: 'skipped', reason: page.rule })
  },
  PagesOrdered(past, key, { messages }, when) {
    const message = messages.find(({ keys }) => keys.includes(key))
    if (message && !message.again) beginAttempt(past, when, message.stored !== undefined)
  },
  PagesSettled(past, key, { pages }, when) {
    const page = pageOf(pages, key)
    if (!page) return
    past.verdict = 'fetched'
    past.pageId = page.id
    endAttempt(past.attempts, when, { outcome: 'fetched', reason: null })
  },
  PagesDuplicated(past, key, { pages }, when) {
    for (const { key, of } of pages) past.redirects.set(key, { of, at: when.at })
    if (!pageOf(pages, key)) return
    past.verdict = 'duplicate'
    endAttempt(past.attempts, when, { outcome: 'redirected', reason: null })
  },
  PagesRetried(past, key, { pages }, when) {
    const page = pageOf(pages, key)
    if (page) retry(past.attempts, when, page)
    past.lane = page?.lane ?? (isTurnedOff(past, pages) ? 'http' : past.lane)
  },
  PagesFailed(past, key, { pages }, when) {
    for (const { key } of pages) past.failed.push(key)
    const page = pageOf(pages, key)
    if (!page) return
    past.verdict = 'failed'
    past.failure = page.reason
    past.found ??= { from: null, depth: null, ...when }
    if (past.attempts.length === 0) past.attempts = past.ofRobots
    endAttempt(past.attempts, when, { outcome: 'failed', reason: page.reason })
  },
  RobotsOrdered(past, key, { origin, again }, { at }) {
    if (again || !isAt(past, key, origin)) return
    past.ofRobots.push(attemptAt(at, past.ofRobots.length + 1, { of: 'robots.txt' }))
  },
  RobotsRetried(past, key, { origin, notBefore }, when) {
    if (isAt(past, key, origin)) retry(past.ofRobots, when, { reason: null, notBefore })
  },
  RobotsFailed(past, key, { origin, reason }, when) {
    if (isAt(past, key, origin)) endAttempt(past.ofRobots, when, { outcome: 'failed', reason })
  },
  SitemapOrdered(past, key, sitemap, when) {
    if (sitemap.key !== key) return
    past.isSitemap = true
    if (!sitemap.again) beginAttempt(past, when)
  },
  SitemapRead(past, key, sitemap, when) {
    if (sitemap.key === key) endAttempt(past.attempts, when, { outcome: 'fetched', reason: null })
  },
  SitemapFailed(past, key, sitemap, when) {
    if (sitemap.key === key) endAttempt(past.attempts, when, { outcome: 'failed', reason: sitemap.reason })
  },
  SitemapRetried(past, key, sitemap, when) {
    if (sitemap.key === key) retry(past.attempts, when, { reason: null, notBefore: sitemap.notBefore })
  },
  RunReopened(past, key, { retried }) {
    past.stopReason = null
    const again = past.failed.splice(0, retried)
    if (past.verdict !== 'failed' || !again.includes(key)) return
    past.verdict = past.isSitemap ? null : 'pending'
    past.failure = null
  },
  RunFinished(past, _key, { stopReason }) {
    past.stopReason = stopReason
    if (past.verdict === 'pending') past.verdict = 'not_reached'
  },
}

/** Returns whether the run has found that there is no browser, and no attempt at the URL is pending. */
const isTurnedOff = ({ attempts }: History, pages: readonly { reason: string; lane?: Lane }[]): boolean =>
  attempts.at(-1)?.outcome !== 'pending' &&
  pages.some(({ reason, lane }) => lane === 'http' && isBrowserOff(reason))

const verdicts = {
  PagesAdmitted: 'pending',
  PagesDeferred: 'not_reached',
  PagesSkipped: 'skipped',
  PagesFiltered: 'skipped',
  PagesPruned: 'skipped',
} as const

/** Records the pages of an event that judges URLs. If the requested URL is among them, the event becomes its ruling. */
function judge(past: History, key: string, { type, data }: Ruling, when: When): void {
  for (const page of data.pages) past.urls.set(page.key, page)
  const page = pageOf<Keyed & Named>(data.pages, key)
  if (!page) return
  past.ruling = { type, data: { ...data, pages: [page] } } as Ruling
  past.verdict = verdicts[type]
  if (isFound(page)) past.admitted = page
  past.found ??= { from: page.from, depth: page.depth ?? depthBelow(past, page), ...when }
}

const isFound = (page: Keyed & Named): page is FoundUrl => page.depth !== undefined

/** Returns the depth of an excluded URL, which its event does not contain. A redirect keeps the depth. */
function depthBelow(
  { urls, redirects, isListed, depthOfListed }: History,
  page: Keyed & Named,
): number | null {
  if (page.from === null) return isListed ? 1 : depthOfListed
  const above = urls.get(page.from)
  if (above?.depth === undefined) return null
  return redirects.get(page.from)?.of === page.key ? above.depth : above.depth + 1
}

function beginAttempt(past: History, { at }: When, isFromStore = false): void {
  const fetcher = past.isSitemap ? 'http' : past.lane
  const by = isFromStore ? 'store' : fetcher
  past.attempts.push(attemptAt(at, past.attempts.length + 1, { by }))
}

/** Returns whether the URL has this origin. */
function isAt({ urls }: History, key: string, origin: string): boolean {
  const known = urls.get(key)
  return known !== undefined && originOf(known.url) === origin
}

type Keyed = { key: string }

const pageOf = <P extends Keyed>(pages: readonly P[], key: string) => pages.find(page => page.key === key)
