/** Which pages go out next, and when an order counts as lost. */
import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import type { Decision } from './decision.ts'
import { settleRobots } from './robots.ts'
import { originOf, type Running } from './run.ts'
import { retryOrFail } from './settle.ts'
import { expireSitemaps, orderSitemaps } from './sitemaps.ts'

/** An order without an outcome is lost when nothing at all came back for this long. */
const orderDeadlineMs = 120_000
/** A message holds about this much waiting at the host, so that a slow host holds few of them. */
const messageSpanMs = 4_000
/** And a run has about this much waiting out. */
const windowSpanMs = 30_000
/** One is fetched, the next waits. */
const leastWindow = 2
const longestCrawlDelayMs = 30_000

/** Hands out what is ready, as far as the window and the hosts' pace allow. */
export function orderNext(decision: Decision): void {
  orderSitemaps(decision)
  orderRobots(decision)
  const { run } = decision
  const free = Math.min(decision.window, paceWindow(run)) - run.out
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
  if (now - run.progressAt < orderDeadlineMs) return
  expireSitemaps(decision, orderDeadlineMs)
  for (const [key, pending] of run.pending) {
    if (!pending.order || now - pending.order.at < orderDeadlineMs) continue
    retryOrFail(decision, { key, reason: 'timeout', transient: true, retryAfterMs: 0 }, pending)
  }
  for (const [origin, robots] of run.robots) {
    if (robots.state !== 'ordered' || now - robots.at < orderDeadlineMs) continue
    settleRobots(decision, { type: 'robots_failed', origin, reason: 'timeout', transient: true })
  }
}

/** When the run has to be looked at again although nothing came back, in epoch milliseconds. */
export function nextLook(run: Running, runLimitMs: number): number {
  let next = Math.min(run.progressAt + orderDeadlineMs, Date.parse(run.startedAt) + runLimitMs)
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

function orderPages({ run, emit, now }: Decision, free: number): void {
  const keys = firstOf(free, due(run, now), run.ready)
  if (keys.length === 0) return
  let number = run.messages
  const messages = byOrigin(run, keys).flatMap(([origin, keys]) =>
    chunks(keys, messageSize(delayOf(run, origin))).map(keys => ({ number: ++number, keys })),
  )
  emit({ type: 'PagesOrdered', data: { messages } })
}

const due = (run: Running, now: number): string[] =>
  [...run.later].filter(key => (run.pending.get(key)?.notBefore ?? 0) <= now)

/** The lines may be long, and are only read as far as is wanted. */
function firstOf(most: number, ...lines: Iterable<string>[]): string[] {
  const first: string[] = []
  for (const line of lines) {
    for (const key of line) {
      if (first.length === most) return first
      first.push(key)
    }
  }
  return first
}

function byOrigin(run: Running, keys: string[]): [string, string[]][] {
  const groups = new Map<string, string[]>()
  for (const key of keys) {
    const origin = originOf(run.pending.get(key)?.found.url ?? '')
    const group = groups.get(origin)
    if (group) group.push(key)
    else groups.set(origin, [key])
  }
  return [...groups]
}

function chunks(keys: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, n) => keys.slice(n * size, (n + 1) * size))
}

const messageSize = (delayMs: number): number =>
  clamp(Math.floor(messageSpanMs / Math.max(delayMs, 1)), 1, ordersPerMessage)

/** How many orders the hosts' own pace makes worth having out: several hosts add up, and a slow one holds few. */
function paceWindow(run: Running): number {
  const hosts = Math.max(1, run.robots.size)
  return Math.max(leastWindow, Math.floor((windowSpanMs / Math.max(run.settings.delayMs, 1)) * hosts))
}

const clamp = (n: number, least: number, most: number): number => Math.min(Math.max(n, least), most)
