/**
 * Applies events to a run. The maps of a running run are changed in place. An ended run keeps them only if its failed
 * URLs may be retried.
 */
import type { FoundUrl, PageResponse, RunEvent } from '@tidemark/contracts/run'
import type { DeferringLimit } from '@tidemark/contracts/run-ends'
import { staleCopy } from '@tidemark/contracts/work/revisit'
import { tally } from '../account.ts'
import { adjustBytes, countBytes, releaseBytes } from '../limits/byte-budget.ts'
import { adjustPrice, releasePrice } from '../limits/cost-budget.ts'
import { loginChanges } from '../login/evolve-login.ts'
import { countOut, enqueue, removeFromQueue } from '../queues.ts'
import { awaitEnd, leaveRechecks } from '../recheck.ts'
import { changeLane, disableRendering, firstLane, isBrowserOff } from '../rendering.ts'
import type { Pending, Run, Running, SeedFailure, UrlState } from '../run.ts'
import { ordersSent, outcomeReceived } from '../silence.ts'
import { noteAdmitted, noteSettled } from '../traps/traps.ts'
import type { Changes } from './changes.ts'
import { ended } from './ended.ts'
import { fetchInstead, order } from './evolve-orders.ts'
import { awaitRobots, mayBeOrdered, robotsChanges } from './evolve-robots.ts'
import { sitemapChanges } from './evolve-sitemaps.ts'
import { reopened } from './reopened.ts'
import { started } from './started.ts'

/** Returns the run after an event that was decided at this time. Unknown event types change nothing. */
export function evolve(run: Run, event: RunEvent, at: string, trace?: string): Run {
  if (run.status === 'deleted') return run
  if (event.type === 'RunDeleted') return { status: 'deleted', projectId: event.data.projectId }
  if (event.type === 'RunQueued') return { status: 'queued', ...event.data, enqueuedAt: at, trace }
  if (event.type === 'RunStarted' && run.status === 'queued') return started(run, event.data, at)
  if (event.type === 'RunFinished') return ended(run, event.data, at)
  if (event.type === 'RunReopened') return reopened(run, event.data, at)
  if (run.status === 'running') {
    const change = changes[event.type] as ((run: Running, data: unknown, at: string) => void) | undefined
    change?.(run, event.data, at)
  }
  return run
}

const changes: Changes = {
  ...robotsChanges,
  ...sitemapChanges,
  ...loginChanges,
  ScopeMoved: (run, { scope }) => {
    run.scope = scope
    run.mayMoveTo = null
  },
  RunPaused: (run, _data, at) => {
    run.pausedAt ??= at
  },
  RunResumed: (run, _data, at) => {
    if (run.pausedAt !== null) run.pausedMs += Math.max(0, Date.parse(at) - Date.parse(run.pausedAt))
    run.pausedAt = null
  },
  PagesAdmitted: (run, { pages }) => {
    for (const found of pages) admit(run, found)
  },
  PagesDeferred: (run, { limit, pages }) => {
    for (const found of pages) defer(run, limit, found)
  },
  PagesSkipped: (run, { pages, reason }) => {
    for (const { key, url, rule } of pages) {
      know(run, key, url)
      recordSeedFailure(run, key, { reason, because: rule, url })
      tally(run.tally.skipped, reason)
      settle(run, key, 'skipped')
    }
  },
  PagesFiltered: (run, { by, pages }) => {
    for (const { key, url, pattern } of pages) {
      know(run, key, url)
      recordSeedFailure(run, key, { reason: filteredBy[by], because: pattern, url })
      tally(run.tally.skipped, filteredBy[by])
      settle(run, key, 'skipped')
    }
  },
  PagesPruned: (run, { pages, rule }) => {
    for (const { key, url } of pages) {
      know(run, key, url)
      tally(run.tally.trap, rule)
      settle(run, key, 'skipped')
    }
  },
  FrontierFilled: run => {
    run.isFull = true
  },
  LinksFollowed: (run, { parts }, at) => {
    outcomeReceived(run, at)
    for (const { key, part, links } of parts) {
      const followed = run.linkParts.get(key)
      if (followed) followed.set(part, links)
      else run.linkParts.set(key, new Map([[part, links]]))
    }
  },
  PagesOrdered: (run, { messages }, at) => {
    for (const { number, keys, again, maxBytes, stored } of messages) {
      ordersSent(run, at, again)
      run.messages = Math.max(run.messages, number)
      for (const [n, key] of keys.entries())
        order(run, key, { message: number, maxBytes, stored: stored?.[n] })
    }
  },
  PagesSettled: (run, { pages }, at) => {
    outcomeReceived(run, at)
    for (const page of pages) {
      run.unchanged.pages += page.notModified ? 1 : 0
      run.unchanged.bytes += page.notModified?.bytes ?? 0
      countByPrice(run, page)
      if (run.traps && !page.blocked && isSuccess(page.status)) noteSettled(run.traps, page)
      countBytes(run, page)
      settle(run, page.key, 'fetched')
    }
    run.lastPageId = pages.reduce((last, { id }) => Math.max(last, id), run.lastPageId)
  },
  PagesDuplicated: (run, { pages }, at) => {
    outcomeReceived(run, at)
    for (const { key, of } of pages) {
      run.redirects.set(key, of)
      settle(run, key, 'duplicate')
    }
  },
  PagesRetried: (run, { pages }, at) => {
    outcomeReceived(run, at)
    for (const { key, reason, attempt, notBefore, lane, answer = run.pending.get(key)?.answer } of pages) {
      if (lane === 'http' && isBrowserOff(reason)) disableRendering(run)
      const pending = run.pending.get(key)
      if (!pending) continue
      const { url } = pending.found
      if (pending.order) countOut(run, pending, -1)
      leaveRechecks(run, key)
      if (pending.order?.stored) fetchInstead(run, pending)
      if (lane) changeLane(run, pending, lane)
      const isStale = pending.isStale || reason === staleCopy
      const again = { attempt, order: null, notBefore: Date.parse(notBefore), ...(isStale && { isStale }) }
      const next: Pending = { ...pending, ...again, ...(answer && { answer }) }
      adjustPrice(run, next)
      adjustBytes(run, next, reason)
      run.pending.set(key, next)
      removeFromQueue(run, key, url)
      run.later.delete(key)
      if (answer && !pending.answer) run.rechecks.all++
      if (answer) awaitEnd(run, key, next)
      else if (mayBeOrdered(run, url)) run.later.add(key)
      else awaitRobots(run, next.found)
    }
  },
  PagesFailed: (run, { pages }, at) => {
    outcomeReceived(run, at)
    for (const { key, reason, attempts, because = null } of pages) {
      recordSeedFailure(run, key, { reason, because })
      tally(run.tally.failed, reason)
      const pending = run.pending.get(key)
      // If the page waits for its order, the attempt with its current number was not made.
      const made = pending === undefined ? attempts : pending.attempt - (pending.order === null ? 1 : 0)
      settle(run, key, 'failed')
      run.failed.set(key, { found: pending?.found ?? null, reason, attempts: made })
    }
  },
}

/**
 * Maximum number of deferred URLs that are kept until a slot is free again. Listed URLs are always kept. The rest is
 * only counted.
 */
const maxKept = 10_000

function defer(run: Running, limit: DeferringLimit, found: FoundUrl): void {
  const { deferred, listed, settings } = run
  know(run, found.key, found.url)
  if (run.states.get(found.key) !== 'deferred') deferred.count++
  run.states.set(found.key, 'deferred')
  if (limit === 'depth') deferred.depth.add(found.key)
  else if (listed.keys.has(found.key) || deferred.max_pages.size < Math.max(maxKept, settings.maxPages)) {
    deferred.max_pages.set(found.key, found)
  }
}

function undefer({ deferred, left, states }: Running, key: string): void {
  if (states.get(key) === 'deferred') deferred.count--
  left.delete(key)
  deferred.max_pages.delete(key)
  deferred.depth.delete(key)
}

/** Counts the characters of a new URL, and removes it from the URLs that wait. Call it before the URL is recorded. */
function know(run: Running, key: string, url: string): void {
  if (run.states.has(key)) return
  run.knownText += url.length
  run.listed.waiting.delete(key)
}

/** Counts a page that is not billed as a plain page, by the first reason that applies. */
function countByPrice(run: Running, { carried, blocked, rendered }: PageResponse): void {
  if (carried) run.carried++
  else if (blocked) run.blocked++
  else if (rendered) run.rendered++
}

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

function admit(run: Running, found: FoundUrl): void {
  undefer(run, found.key)
  know(run, found.key, found.url)
  if (run.traps) noteAdmitted(run.traps, found)
  run.states.set(found.key, 'pending')
  const lane = firstLane(run)
  if (lane === 'browser') run.rendering.pending++
  run.pending.set(found.key, { found, attempt: 1, order: null, notBefore: 0, ...(lane && { lane }) })
  if (mayBeOrdered(run, found.url)) enqueue(run, found.key, found.url)
  else awaitRobots(run, found)
}

/** Records the end of a URL, whether or not it was admitted before. */
function settle(run: Running, key: string, state: Exclude<UrlState, 'pending' | 'deferred'>): void {
  const pending = run.pending.get(key)
  if (pending) {
    const { url } = pending.found
    if (pending.order) countOut(run, pending, -1)
    if (pending.lane === 'browser') run.rendering.pending--
    if (pending.answer) run.rechecks.all--
    releasePrice(run, pending)
    releaseBytes(run, pending)
    run.pending.delete(key)
    removeFromQueue(run, key, url)
    leaveRechecks(run, key)
    run.later.delete(key)
  }
  run.linkParts.delete(key)
  undefer(run, key)
  // A listed URL may be a sitemap that failed.
  run.listed.waiting.delete(key)
  run.states.set(key, state)
  run.counts[state]++
}

const filteredBy = { exclude: 'excluded', include: 'not_included' } as const

function recordSeedFailure(run: Running, key: string, failure: SeedFailure): void {
  if (run.pending.get(key)?.found.depth === 0) run.seedFailure = failure
}
