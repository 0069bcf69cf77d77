/** Which pages go out next, and when an order counts as lost. */
import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import type { Decision } from './decision.ts'
import { pruned } from './discover.ts'
import { nextInLine, outAt } from './lines.ts'
import { settleRobots } from './robots.ts'
import type { Running } from './run.ts'
import { retryOrFail } from './settle.ts'
import { expireSitemaps, orderSitemaps } from './sitemaps.ts'
import { judgeWaiting } from './traps/traps.ts'

/** An order without an outcome is lost when nothing at all came back for this long … */
const orderDeadlineMs = 120_000
/** … and for so many turns at the slowest host, which the run may share with as many others. */
const turnsWithoutNews = 20
/** A message holds about this much waiting at the host, so that a slow host holds few of them. */
const messageSpanMs = 4_000
/** And a host has about this much of a run waiting: what waits there keeps a place in a fetcher from others. */
const windowSpanMs = 8_000
/** One is fetched, the next waits. */
const leastWindow = 2
const longestCrawlDelayMs = 30_000

/** Hands out what is ready, as far as the run's window and those of its hosts allow. */
export function orderNext(decision: Decision): void {
  orderSitemaps(decision)
  orderRobots(decision)
  const free = decision.window - decision.run.out
  if (free > 0) orderPages(decision, free)
}

/** At least this long between two requests to an origin: the run's own delay, or robots.txt's up to 30 s. */
export function delayOf({ settings, robots }: Running, origin: string): number {
  const known = robots.get(origin)
  const crawlDelay = known?.state === 'read' && settings.respectRobots ? (known.group.crawlDelay ?? 0) : 0
  return Math.max(settings.delayMs, Math.min(crawlDelay * 1000, longestCrawlDelayMs))
}

/** Orders again what no fetcher has answered for, so that a run always ends. */
export function expireOrders(decision: Decision): void {
  const { run, now } = decision
  const deadlineMs = deadlineOf(run)
  if (now - run.progressAt < deadlineMs) return
  expireSitemaps(decision, deadlineMs)
  for (const [key, pending] of run.pending) {
    if (!pending.order || now - pending.order.at < deadlineMs) continue
    retryOrFail(decision, { key, reason: 'timeout', transient: true, retryAfterMs: 0 }, pending)
  }
  for (const [origin, robots] of run.robots) {
    if (robots.state !== 'ordered' || now - robots.at < deadlineMs) continue
    settleRobots(decision, { type: 'robots_failed', origin, reason: 'timeout', transient: true })
  }
}

/** When the run has to be looked at again although nothing came back, in epoch milliseconds. */
export function nextLook(run: Running, runLimitMs: number): number {
  let next = Math.min(run.progressAt + deadlineOf(run), Date.parse(run.startedAt) + runLimitMs)
  for (const key of run.later) next = Math.min(next, run.pending.get(key)?.notBefore ?? next)
  for (const robots of run.robots.values())
    if (robots.state === 'waiting') next = Math.min(next, robots.notBefore)
  for (const sitemap of run.sitemaps.values())
    if (sitemap.state === 'waiting') next = Math.min(next, sitemap.notBefore)
  return next
}

function orderRobots({ run, emit, now }: Decision): void {
  for (const origin of run.awaitingRobots.keys()) {
    const known = run.robots.get(origin)
    if (known === undefined) emit({ type: 'RobotsOrdered', data: { origin, attempt: 1 } })
    else if (known.state === 'waiting' && known.notBefore <= now) {
      emit({ type: 'RobotsOrdered', data: { origin, attempt: known.attempt } })
    }
  }
}

function orderPages(decision: Decision, free: number): void {
  const { run, emit, now } = decision
  const freeAt = (origin: string) => hostWindow(delayOf(run, origin)) - outAt(run, origin)
  let next = nextInLine(run, { due: due(run, now), free, freeAt })
  while (pruneTrapped(decision, [...next.values()].flat())) {
    next = nextInLine(run, { due: due(run, now), free, freeAt })
  }
  if (next.size === 0) return
  let number = run.messages
  const messages = [...next].flatMap(([origin, keys]) =>
    chunks(keys, messageSize(delayOf(run, origin))).map(keys => ({ number: ++number, keys })),
  )
  emit({ type: 'PagesOrdered', data: { messages } })
}

/** Since they were admitted, pages of their kind may have turned out to be all the same. Tells whether any was left out. */
function pruneTrapped({ run, emit, trapsOff }: Decision, keys: string[]): boolean {
  const { traps } = run
  if (traps === null) return false
  const trapped = keys.flatMap(key => {
    const found = run.pending.get(key)?.found
    const trap = found && found.depth > 0 ? judgeWaiting(traps, found.url, trapsOff) : null
    return found && trap ? [pruned(found, trap)] : []
  })
  trapped.forEach(emit)
  return trapped.length > 0
}

const due = (run: Running, now: number): string[] =>
  [...run.later].filter(key => (run.pending.get(key)?.notBefore ?? 0) <= now)

function chunks(keys: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, n) => keys.slice(n * size, (n + 1) * size))
}

const messageSize = (delayMs: number): number =>
  clamp(Math.floor(messageSpanMs / Math.max(delayMs, 1)), 1, ordersPerMessage)

/** How many orders the host's own pace makes worth having out: a slow one holds few. */
const hostWindow = (delayMs: number): number =>
  Math.max(leastWindow, Math.floor(windowSpanMs / Math.max(delayMs, 1)))

function deadlineOf(run: Running): number {
  let slowest = run.settings.delayMs
  for (const origin of run.robots.keys()) slowest = Math.max(slowest, delayOf(run, origin))
  return orderDeadlineMs + turnsWithoutNews * slowest
}

const clamp = (n: number, least: number, most: number): number => Math.min(Math.max(n, least), most)
