/**
 * Defines the state of a run after its events. A run may know half a million URLs (`maxKnown`), so its maps are
 * changed in place, and only by `evolve`.
 */
import { type CrawlCounts, unitsOfCrawl } from '@tidemark/contracts/prices'
import type { Tier } from '@tidemark/contracts/primitives'
import type { FoundUrl, PageResponse, Scope, Totals, UnitPrices } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import type { MonitorTick, RunSettings } from '@tidemark/contracts/run-settings'
import type { Lane } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { StoredAnswer } from '@tidemark/contracts/work/revisit'
import type { Account, Tally, Unchanged } from './account.ts'
import type { Robots } from './evolve/robots-state.ts'
import type { ByteBudget, CostBudget, HeldBytes, HeldPrice, Rechecks } from './limits/state.ts'
import type { Login, LostLogin } from './login/state.ts'
import type { TrapMemory } from './traps/memory.ts'

/** The state of a judged URL. Each URL has exactly one, so the states add up to the discovered URLs. */
export type UrlState = 'pending' | 'deferred' | 'fetched' | 'failed' | 'skipped' | 'duplicate'

/** An admitted URL that is not settled. */
export type Pending = {
  found: FoundUrl
  /** Number of the current attempt, from 1. */
  attempt: number
  /** Number of attempts before the last reopening of the run; absent: none. */
  earlier?: number
  /**
   * The message that ordered it, and its stored response if it is taken from the store; null while it is not in flight.
   */
  order: { message: number; stored?: StoredAnswer } | null
  /** Earliest time of the next order, in epoch milliseconds. */
  notBefore: number
  /** Whether the copy of an earlier run is stale, so that the page itself must be fetched. */
  isStale?: true
  /** The lane that fetches it. Unset: plain HTTP, and a browser may still be chosen. `http` is final. */
  lane?: Lane
  /** The server error of the page, which is requested again at the end of the run. */
  answer?: PageResponse
} & HeldPrice &
  HeldBytes

/** The reason why the seed failed: a code and its details. */
export type SeedFailure = {
  reason: string
  /** The rule, the pattern or the sentence that decided. */
  because?: string | null
  /** The seed's URL, or the target of its redirect. */
  url?: string
}

/** A URL that failed, with the number of its attempts. `found` is null for a sitemap. */
export type Failed = { found: FoundUrl | null; reason: string; attempts: number }

/** A sitemap of a run with a sitemap as seed, or one that its index names. */
export type Sitemap = {
  url: string
  /** Number of sitemap indexes above it. */
  depth: number
  attempt: number
  /** Whether the client retries its failure, so that it is read even without a free slot. */
  isRetried?: true
  /** How many attempt numbers the reopenings of the run have skipped; absent: none. */
  unused?: number
} & (
  | { state: 'named' | 'ordered' | 'failed' }
  /** `isCut`: a part was left out. `isFaulty`: because of a fault, not of a limit. */
  | { state: 'read'; isCut: boolean; isFaulty?: true }
  | { state: 'waiting'; notBefore: number }
)

type Identity = {
  runId: number
  projectId: number
  tier: Tier
  url: string
  settings: RunSettings
  /** The tick of the monitor that started it. */
  tick?: MonitorTick
  unitPrices?: UnitPrices
  enqueuedAt: string
  trace: string | undefined
}

export type Queued = Identity & { status: 'queued' }

export type Running = Identity & {
  status: 'running'
  startedAt: string
  /** Time from which the maximum duration counts: the start, or the last reopening. */
  countedFrom: string
  /** How often the run was reopened. */
  reopenings: number
  scope: Scope
  /**
   * The scope to which the run moves if a sitemap lists URLs of that scope before any sitemap lists URLs of `scope`.
   */
  mayMoveTo: Scope | null
  /** Time of the pause; null: the run is not paused. */
  pausedAt: string | null
  /** Milliseconds of all earlier pauses. */
  pausedMs: number
  /** The state of every URL that the run has judged. */
  states: Map<string, UrlState>
  /** Number of characters of all URLs in `states`. */
  knownText: number
  pending: Map<string, Pending>
  /** Keys of pending URLs that may be ordered: a queue per origin, in the order of admission. */
  ready: Map<string, Set<string>>
  /** Keys of pending URLs that wait for their `notBefore`. */
  later: Set<string>
  /** Keys of pending URLs that wait for the robots.txt of their origin, by origin. */
  awaitingRobots: Map<string, Set<string>>
  robots: Map<string, Robots>
  /** Approximate bytes of all rules in `robots`. */
  rulesText: number
  /**
   * URLs that a limit excludes: their number, those that are admitted when a slot is free again, and the keys of
   * those that are too deep.
   */
  deferred: { count: number; max_pages: Map<string, FoundUrl>; depth: Set<string> }
  /** Deferred URLs that were pending at an earlier end of the run, with the reason of that end. */
  left: Map<string, StopReason>
  /** Failed URLs by key, in the order of their failures. */
  failed: Map<string, Failed>
  /** URLs that the client lists besides the seed: their keys, and those that are not judged yet, by key. */
  listed: { keys: ReadonlySet<string>; waiting: Map<string, string> }
  /** Sitemaps by key, in the order of discovery. */
  sitemaps: Map<string, Sitemap>
  /** Parts of a page's links that arrived before the page, by the page's key: the number of links in each part. */
  linkParts: Map<string, Map<number, number>>
  /** Whether the run has reached the maximum number of URLs. Newly found ones are then not judged. */
  isFull: boolean
  /** The memory of the trap rules; null if they are off. */
  traps: TrapMemory | null
  /** Number of fetched pages that were challenges, for which nothing is billed. */
  blocked: number
  /** Number of fetched pages that a browser rendered, except challenges. */
  rendered: number
  /** Number of pages that were taken from the store, which count neither as blocked nor as rendered. */
  carried: number
  /** Number of pending pages for a browser, number of these in flight, and whether no browser exists. */
  rendering: { pending: number; out: number; isOff: boolean }
  rechecks: Rechecks
  /** Null: the run has no maximum cost. */
  cost: CostBudget | null
  /** Null: the run has no maximum of bytes. */
  bytes: ByteBudget | null
  /** Fetched pages that the origin did not send again, because they are unchanged. */
  unchanged: Unchanged
  /** Redirects that the run has followed, to detect loops. */
  redirects: Map<string, string>
  counts: { fetched: number; failed: number; skipped: number; duplicate: number }
  /** The highest id of its pages; 0: it has no page. */
  lastPageId: number
  /** Numbers of failed and skipped URLs by reason. */
  tally: Tally
  /** Number of orders of pages in flight. */
  out: number
  /** Number of orders in flight whose pages are taken from the store. */
  storedOut: number
  /** Number of orders in flight over plain HTTP, by origin. */
  outAt: Map<string, number>
  /** Number of the last message of orders. */
  messages: number
  /** Time when the last outcome arrived or the last order was sent, in epoch milliseconds. */
  quietSince: number
  /** Number of times since the last outcome that all orders in flight were sent again. */
  silences: number
  /**
   * Time of the last decision in epoch milliseconds. No event contains it, so a run that is read again is due at once.
   */
  decidedAt: number
  /** Whether the last decision was too large, so that another one is due at once. */
  isUnfinished: boolean
  /** Null: the run has no login. */
  login: Login | null
  /** Why the run has no session, which ends the run; null: it has a session, or needs none. */
  lost: LostLogin | null
  /** The reason why the seed failed, once it is known. */
  seedFailure: SeedFailure | null
}

export type Ended = Identity & {
  status: 'done' | 'failed' | 'cancelled'
  startedAt: string | null
  finishedAt: string
  stopReason: StopReason
  errorMessage: string | null
  errorReason?: string
  totals: Totals
  /** Counts for the coverage; null if the run never started. */
  account: Account | null
  blocked: number
  rendered: number
  carried: number
  reopenings?: number
  /** The run just before its end if its failed URLs may be retried; otherwise null. */
  before: Running | null
}

/** A deleted run, of which only the owner is known. It accepts no commands, and the API does not show it. */
export type Deleted = { status: 'deleted'; projectId: number }

/** A run that can be shown. */
export type Known = Queued | Running | Ended

export type Run = { status: 'unknown' } | Deleted | Known
export const unknown: Run = { status: 'unknown' }

export const isKnown = (run: Run): run is Known => run.status !== 'unknown' && run.status !== 'deleted'

/** Returns the number of billed units of the run, by kind. */
export const spentBy = ({ counts, blocked, rendered, carried }: Pick<Running, 'counts' | keyof Billed>) =>
  unitsOfCrawl({ fetched: counts.fetched, blocked, rendered, carried }) satisfies Record<UnitKind, number>

type Billed = Omit<CrawlCounts, 'fetched'>

/** Returns the number of orders in flight over plain HTTP. Those that are taken from the store send no request. */
export const plainOut = ({ out, rendering, storedOut }: Running): number => out - rendering.out - storedOut

/** Returns whether the client has paused the run. */
export const isPaused = (run: Run): boolean => run.status === 'running' && run.pausedAt !== null

/** Returns when the run reaches its maximum duration, in epoch milliseconds. Pauses do not count. */
export const limitAt = ({ countedFrom, pausedAt, pausedMs }: Running, runLimitMs: number): number =>
  pausedAt === null ? Date.parse(countedFrom) + pausedMs + runLimitMs : Number.POSITIVE_INFINITY

/** Returns whether all parts of a page's links have arrived. Until then the page is not settled. */
export const hasAllParts = ({ linkParts }: Running, key: string, parts: number): boolean =>
  (linkParts.get(key)?.size ?? 0) >= parts

/** Returns the number of URLs by state. `discovered` is the sum of the others (docs/architecture.md). */
export function totals({ states, counts, deferred, pending, listed }: Running): Totals {
  const { size } = listed.waiting
  const open = { notReached: deferred.count, pending: pending.size + size }
  return { discovered: states.size + size, ...counts, ...open }
}

/** Returns the origin of a URL in normal form, such as `https://host:port`. */
export function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2)
  return end < 0 ? url : url.slice(0, end)
}
