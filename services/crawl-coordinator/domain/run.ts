/**
 * What a run is, as its events leave it. A run may know half a million URLs (`mostKnown`), so its sets grow in place,
 * and only `evolve` may touch them: everybody else reads.
 */
import { type CrawlCounts, unitsOfCrawl } from '@tidemark/contracts/prices'
import type { Tier } from '@tidemark/contracts/primitives'
import type { FoundUrl, RobotsGroup, Scope, StopReason, Totals } from '@tidemark/contracts/run'
import type { MonitorTick, RunSettings } from '@tidemark/contracts/run-settings'
import type { Lane } from '@tidemark/contracts/subjects'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { Account, Tally, Unchanged } from './receipt.ts'
import type { TrapMemory } from './traps/memory.ts'

/** Where a judged URL stands. Each is in exactly one place, so the places add up to what was discovered. */
export type Place = 'pending' | 'deferred' | 'fetched' | 'failed' | 'skipped' | 'duplicate'

/** A URL that was admitted and has no end yet. */
export type Pending = {
  found: FoundUrl
  /** Counts from 1. */
  attempt: number
  /** In which message it was handed out; null while it is not out. */
  order: { message: number } | null
  /** Not to be ordered earlier, in epoch milliseconds. */
  notBefore: number
  /** What an earlier run has of it cannot stand for it. */
  isStale?: true
  /** By what it is fetched. Without it plainly, and nobody has asked yet whether a browser should; `http` is for good. */
  lane?: Lane
}

export type Robots =
  | { state: 'ordered'; attempt: number }
  | { state: 'waiting'; attempt: number; notBefore: number }
  | { state: 'read'; verdict: 'rules' | 'allow_all' | 'disallow_all'; status: number; group: RobotsGroup }
  | { state: 'failed'; reason: string }

/** A sitemap of a run that is seeded by one, or one that an index of it names. */
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
  /** Of the monitor that started it. */
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
  /** Pending, and free to be ordered now: a line an origin, in the order of admission. */
  ready: Map<string, Set<string>>
  /** Pending, but each waits for its own moment. */
  later: Set<string>
  /** Pending, and waiting for the robots.txt of its origin. */
  awaitingRobots: Map<string, Set<string>>
  robots: Map<string, Robots>
  /** About as many bytes as all their rules take. */
  rulesText: number
  /** Behind a limit: how many there are, those that are admitted when a slot comes back, and those that were too deep. */
  deferred: { count: number; max_pages: Map<string, FoundUrl>; depth: Set<string> }
  /** By key, in the order in which they were named. */
  sitemaps: Map<string, Sitemap>
  /** Parts of a page's links that came ahead of it, by its key: how many links each had. */
  linkParts: Map<string, Map<number, number>>
  /** It knows as many URLs as it may: what is found now is not judged any more. */
  isFull: boolean
  /** What tells a trap; null where the run does without. */
  traps: TrapMemory | null
  /** Fetched pages that were challenges, for which nothing is billed. */
  blocked: number
  /** Fetched pages that a browser rendered, without challenges. */
  rendered: number
  /** Pending pages that a browser is to render, how many of them are out, and whether there turned out to be no browser. */
  rendering: { pending: number; out: number; isOff: boolean }
  /** Fetched pages that were not sent again. */
  unchanged: Unchanged
  /** Redirects that the run has followed, to see a circle. */
  redirects: Map<string, string>
  counts: { fetched: number; failed: number; skipped: number; duplicate: number }
  /** Of these, the failed and the skipped by their reasons. */
  tally: Tally
  /** Orders that are out, and the number of the last message. */
  out: number
  /** Of these, by origin, those that no browser has. */
  outAt: Map<string, number>
  messages: number
  /** When anything last came back or was handed out, in epoch milliseconds. */
  quietSince: number
  /** How often in a row all that is out was handed out again, because nothing had come back. */
  silences: number
  /**
   * When something was last decided, in epoch milliseconds, and whether that left something for the next decision,
   * which is then due at once. No event says so: who reads a run again looks after it at once anyway.
   */
  decidedAt: number
  isUnfinished: boolean
  /** Why the seed brought nothing, once that is known. */
  seedFailure: string | null
}

export type Ended = Identity & {
  status: 'done' | 'failed' | 'cancelled'
  startedAt: string | null
  finishedAt: string
  stopReason: StopReason
  errorMessage: string | null
  totals: Totals
  /** Null where it never began. */
  account: Account | null
  blocked: number
  rendered: number
}

/** Whose it was, and no more: nothing happens to it any more, and nobody is told that it was. */
export type Deleted = { status: 'deleted'; projectId: number }

/** A run that can be shown. */
export type Known = Queued | Running | Ended

export type Run = { status: 'unknown' } | Deleted | Known

export const unknown: Run = { status: 'unknown' }

export const isKnown = (run: Run): run is Known => run.status !== 'unknown' && run.status !== 'deleted'

/** Pages that may still be admitted: each admission reserves one of `maxPages`, each failure returns it. */
export const slots = ({ settings, counts, pending }: Running): number =>
  settings.maxPages - counts.fetched - pending.size

/** Units that the run is billed for, of each kind. */
export const spentBy = ({ counts, blocked, rendered }: Pick<Running, 'counts' | keyof Billed>) =>
  unitsOfCrawl({ fetched: counts.fetched, blocked, rendered }) satisfies Record<UnitKind, number>

type Billed = Omit<CrawlCounts, 'fetched'>

/** Whether pages that wait behind `max_pages` may be admitted now. */
export const mayRefill = (run: Running): boolean => run.deferred.max_pages.size > 0 && slots(run) > 0

/** Whether all links that a page sent ahead have been judged; until then the page itself is not settled. */
export const hasAllParts = ({ linkParts }: Running, key: string, parts: number): boolean =>
  (linkParts.get(key)?.size ?? 0) >= parts

/** Where every judged URL stands: `discovered` is the sum of the others (docs/architecture.md, Where each promise lives). */
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
