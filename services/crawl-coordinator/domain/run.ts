/**
 * The state of a run after its events. A run may know half a million URLs (`maxKnown`), so its sets grow in place, and
 * only `evolve` may change them.
 */
import { type CrawlCounts, unitsOfCrawl } from '@tidemark/contracts/prices'
import type { Tier } from '@tidemark/contracts/primitives'
import type { FoundUrl, PageAnswer, RobotsGroup, Scope, StopReason, Totals } from '@tidemark/contracts/run'
import type { MonitorTick, RunSettings } from '@tidemark/contracts/run-settings'
import type { Lane } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { Account, Tally, Unchanged } from './account.ts'
import type { TrapMemory } from './traps/memory.ts'

/** The state of a judged URL. Each URL has exactly one, so the states add up to the discovered URLs. */
export type Place = 'pending' | 'deferred' | 'fetched' | 'failed' | 'skipped' | 'duplicate'

/** An admitted URL without an end. */
export type Pending = {
  found: FoundUrl
  /** Counts from 1. */
  attempt: number
  /** The message in which it was ordered; null while it is not in flight. */
  order: { message: number } | null
  /** Not to be ordered earlier, in epoch milliseconds. */
  notBefore: number
  /** It cannot be replaced by the page of an earlier run. */
  isStale?: true
  /** The lane that fetches it. Unset: plain HTTP, and a browser may still be chosen. `http` is final. */
  lane?: Lane
  /** The server error of the page, which is requested again at the end of the run. */
  answer?: PageAnswer
}

export type Robots =
  | { state: 'ordered'; attempt: number }
  | { state: 'waiting'; attempt: number; notBefore: number }
  | { state: 'read'; verdict: 'rules' | 'allow_all' | 'disallow_all'; status: number; group: RobotsGroup }
  | { state: 'failed'; reason: string; attempts: number }

/** Why the seed failed: a code and its details. */
export type SeedFailure = {
  reason: string
  /** The rule, the pattern or the sentence that decided. */
  because?: string | null
  /** The seed's URL, or the target of its redirect. */
  url?: string
}

/** A sitemap of a run with a sitemap as seed, or one that its index names. */
export type Sitemap = {
  url: string
  /** Indexes above it. */
  depth: number
  attempt: number
} & (
  | { state: 'named' | 'ordered' | 'failed' }
  | { state: 'read'; isCut: boolean }
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
  enqueuedAt: string
  trace: string | undefined
}

export type Queued = Identity & { status: 'queued' }

export type Running = Identity & {
  status: 'running'
  startedAt: string
  scope: Scope
  /** Every URL ever judged. */
  places: Map<string, Place>
  /** Characters of all these URLs. */
  knownText: number
  pending: Map<string, Pending>
  /** Pending and ready to be ordered: a queue per origin, in the order of admission. */
  ready: Map<string, Set<string>>
  /** Pending, each with its own earliest time. */
  later: Set<string>
  /** Pending, and waiting for the robots.txt of its origin. */
  awaitingRobots: Map<string, Set<string>>
  robots: Map<string, Robots>
  /** Approximate bytes of all their rules. */
  rulesText: number
  /** Behind a limit: their number, those that are admitted when a slot is free again, and those that were too deep. */
  deferred: { count: number; max_pages: Map<string, FoundUrl>; depth: Set<string> }
  /** By key, in the order of discovery. */
  sitemaps: Map<string, Sitemap>
  /** Parts of a page's links that arrived before the page, by its key: the number of links of each. */
  linkParts: Map<string, Map<number, number>>
  /** It has reached the maximum number of URLs: newly found ones are not judged. */
  isFull: boolean
  /** The memory of the trap rules; null if they are off. */
  traps: TrapMemory | null
  /** Fetched pages that were challenges, for which nothing is billed. */
  blocked: number
  /** Fetched pages that a browser rendered, except challenges. */
  rendered: number
  /** Pending pages for a browser, how many of them are in flight, and whether no browser exists. */
  rendering: { pending: number; out: number; isOff: boolean }
  rechecks: Rechecks
  /** Fetched pages that were not sent again. */
  unchanged: Unchanged
  /** Redirects that the run has followed, to detect loops. */
  redirects: Map<string, string>
  counts: { fetched: number; failed: number; skipped: number; duplicate: number }
  /** The failed and skipped ones by reason. */
  tally: Tally
  /** Number of orders in flight, and the number of the last message. */
  out: number
  /** Orders in flight without a browser, by origin. */
  outAt: Map<string, number>
  messages: number
  /** When the last outcome arrived or the last order was sent, in epoch milliseconds. */
  quietSince: number
  /** Number of consecutive times that all orders in flight were repeated without an outcome. */
  silences: number
  /**
   * Time of the last decision, in epoch milliseconds, and whether it left something for the next one, which is then due
   * at once. No event contains it: a process that reads a run again checks it at once anyway.
   */
  decidedAt: number
  isUnfinished: boolean
  /** Why the seed failed, once that is known. */
  seedFailure: SeedFailure | null
}

/** Pending pages with a server error. Each holds its page, or cloud page, until its second answer. */
export type Rechecks = {
  /** Those that wait for the end of the run, in the order of their answers. */
  waiting: Set<string>
  /** Of these, those that a browser is to render. */
  rendered: Set<string>
  /** Counts also those whose second request is out. */
  all: number
}

export type Ended = Identity & {
  status: 'done' | 'failed' | 'cancelled'
  startedAt: string | null
  finishedAt: string
  stopReason: StopReason
  errorMessage: string | null
  errorReason?: string
  totals: Totals
  /** Null if it never started. */
  account: Account | null
  blocked: number
  rendered: number
}

/** The owner only: a deleted run accepts no commands, and the API does not show it. */
export type Deleted = { status: 'deleted'; projectId: number }

/** A run that can be shown. */
export type Known = Queued | Running | Ended

export type Run = { status: 'unknown' } | Deleted | Known

export const unknown: Run = { status: 'unknown' }

export const isKnown = (run: Run): run is Known => run.status !== 'unknown' && run.status !== 'deleted'

/** Pages that may still be admitted: each admission reserves one of `maxPages`, each failure returns it. */
export const slots = ({ settings, counts, pending }: Running): number =>
  settings.maxPages - counts.fetched - pending.size

/** Number of billed units of the run, by kind. */
export const spentBy = ({ counts, blocked, rendered }: Pick<Running, 'counts' | keyof Billed>) =>
  unitsOfCrawl({ fetched: counts.fetched, blocked, rendered }) satisfies Record<UnitKind, number>

type Billed = Omit<CrawlCounts, 'fetched'>

/** Whether pages that wait behind `max_pages` may be admitted now. */
export const mayRefill = (run: Running): boolean => run.deferred.max_pages.size > 0 && slots(run) > 0

/** Whether all links that a page sent ahead have been judged; until then the page itself is not settled. */
export const hasAllParts = ({ linkParts }: Running, key: string, parts: number): boolean =>
  (linkParts.get(key)?.size ?? 0) >= parts

/**
 * The state of every judged URL: `discovered` is the sum of the others (docs/architecture.md, Where each promise
 * lives).
 */
export function totals({ places, counts, deferred, pending }: Running): Totals {
  return {
    discovered: places.size,
    ...counts,
    notReached: deferred.count,
    pending: pending.size,
  }
}

/** `https://host:port` of a URL in normal form. */
export function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('//') + 2)
  return end < 0 ? url : url.slice(0, end)
}
