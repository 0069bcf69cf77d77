/**
 * Reopens an ended run: its first failed URLs are pending again. URLs that were pending at its end stay not reached.
 */
import type { RunEventData } from '@tidemark/contracts/run'
import { memoryOf } from '@tidemark/robots/bounded'
import { untally } from '../account.ts'
import { firstLogin } from '../login/login.ts'
import { enqueue } from '../queues.ts'
import { firstLane } from '../rendering.ts'
import { staysFailed } from '../reopening.ts'
import { firstAfter } from '../retry.ts'
import { type Failed, originOf, type Run, type Running } from '../run.ts'
import { awaitRobots, mayBeOrdered } from './evolve-robots.ts'

/** Returns the running run, or the same run if its failed URLs cannot be retried. */
export function reopened(run: Run, { nth, retried }: RunEventData<'RunReopened'>, at: string): Run {
  if (!('before' in run) || run.before === null) return run
  const { before, stopReason } = run
  leavePending(before, stopReason)
  const again = [...before.failed].slice(0, retried)
  readRobotsAgain(before, again)
  for (const [key, failed] of again) retry(before, key, failed)
  readSitemapsAgain(before)
  return Object.assign(before, {
    countedFrom: at,
    reopenings: nth,
    pausedAt: null,
    pausedMs: 0,
    quietSince: Date.parse(at),
    silences: 0,
    isUnfinished: false,
    login: firstLogin(before.settings, before.login?.attempt),
    lost: null,
  })
}

/** URLs that were pending at the end stay not reached. Orders in flight are dropped, and their outcomes are ignored. */
function leavePending(run: Running, reason: Parameters<Running['left']['set']>[1]): void {
  const { deferred, left, listed, states, pending, rechecks, rendering } = run
  for (const [key, url] of listed.waiting) if (!states.has(key)) run.knownText += url.length
  for (const key of [...pending.keys(), ...listed.waiting.keys()]) {
    states.set(key, 'deferred')
    deferred.count++
    left.set(key, reason)
  }
  // Slots that the end released must not admit URLs whose retry the client did not request.
  deferred.max_pages.clear()
  const { later, awaitingRobots, linkParts, ready, outAt } = run
  for (const all of [pending, listed.waiting, later, awaitingRobots, linkParts, ready, outAt]) all.clear()
  for (const all of [rechecks.waiting, rechecks.rendered]) all.clear()
  rechecks.all = 0
  for (const budget of [run.cost, run.bytes]) if (budget !== null) budget.held = 0
  if (run.bytes !== null) run.bytes.over = 0
  run.out = 0
  run.storedOut = 0
  Object.assign(rendering, { pending: 0, out: 0, isOff: false })
}

/** Reads again the robots.txt of the retried pages, and every robots.txt that was not read. */
function readRobotsAgain(run: Running, again: readonly [string, Failed][]): void {
  const origins = new Set(again.flatMap(([, { found }]) => (found === null ? [] : [originOf(found.url)])))
  for (const [origin, known] of run.robots) {
    if (known.state === 'read' && !origins.has(origin)) continue
    if (known.state === 'read') run.rulesText -= memoryOf(known.group)
    const attempt = firstAfter('robots', known.attempt)
    const unused = unusedBefore(attempt, known)
    run.robots.set(origin, { state: 'waiting', attempt, notBefore: 0, ...unused })
  }
}

function retry(run: Running, key: string, { found, reason, attempts }: Failed): void {
  run.failed.delete(key)
  run.counts.failed--
  untally(run.tally.failed, reason)
  if (found === null) {
    run.states.delete(key)
    return
  }
  const lane = firstLane(run)
  if (lane === 'browser') run.rendering.pending++
  if (found.depth === 0) run.seedFailure = null
  run.states.set(key, 'pending')
  const attempt = { attempt: attempts + 1, earlier: attempts, order: null, notBefore: 0 }
  run.pending.set(key, { found, ...attempt, ...(lane && { lane }) })
  if (mayBeOrdered(run, found.url)) enqueue(run, key, found.url)
  else awaitRobots(run, found)
}

/** Reads again the sitemaps whose failures are retried, and those whose orders the end of the run has dropped. */
function readSitemapsAgain(run: Running): void {
  for (const [key, sitemap] of run.sitemaps) {
    const { url, depth, state, isRetried } = sitemap
    if (state === 'read' || state === 'named') continue
    if (state === 'failed' && staysFailed(run, key)) continue
    if (depth === 0) run.seedFailure = null
    const retried = (state === 'failed' || isRetried) && { isRetried: true as const }
    const attempt = firstAfter('sitemap', sitemap.attempt)
    const unused = unusedBefore(attempt, sitemap)
    run.sitemaps.set(key, { url, depth, attempt, state: 'named', ...retried, ...unused })
  }
}

/** Returns how many attempt numbers before this one were never used. A waiting attempt was not made. */
function unusedBefore(
  attempt: number,
  { state, attempt: last, unused = 0 }: { state: string; attempt: number; unused?: number },
): { unused?: number } {
  const made = state === 'waiting' ? last - 1 : last
  const sum = unused + attempt - 1 - made
  return sum > 0 ? { unused: sum } : {}
}
