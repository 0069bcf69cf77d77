/** Decides which pages are ordered next, and orders again those without a result. */

import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import type { Decision } from './circumstances.ts'
import { fetchInstead, isFromStore, storedOf } from './fork/stored-pages.ts'
import { delayOf, hostWindow } from './host-rate.ts'
import { createReserve, orderable, type Remaining, remainingOf } from './limits/orderable.ts'
import { awaitsLogin, orderLogin, orderLoginAgain } from './login/login.ts'
import { keysOut, nextInQueues, outAt } from './queues.ts'
import { answered, dueRechecks, earlyRechecks, rechecksAtEnd, settleWith } from './recheck.ts'
import { doWithoutBrowsers } from './rendering.ts'
import { dueBy, isDue, isFarAhead, maxSilences, silenceMs } from './retry.ts'
import { settleRobots } from './robots.ts'
import { limitAt, type Running } from './run.ts'
import { orderSitemaps, orderSitemapsAgain, retryOrFailSitemap } from './sitemaps.ts'

/**
 * Number of request intervals of the slowest host after which a silence begins, because the run may share that host
 * with as many other runs.
 */
const intervalsBeforeSilence = 20
/**
 * Milliseconds for which the orders of one message keep a host busy, so that a slow host has few orders per message.
 */
const messageSpanMs = 4_000
/** Maximum number of robots.txt files of a run in flight. */
const maxRobotsOut = 500

/** Orders what is ready, within the windows of the run and its hosts. */
export function orderNext(decision: Decision): void {
  if (awaitsLogin(decision.run)) {
    orderLogin(decision)
    return
  }
  orderSitemaps(decision)
  orderRobots(decision)
  const free = decision.window - decision.run.out
  if (free > 0) orderPages(decision, free)
}

/**
 * Sends orders again if the run is silent: the same attempts, in messages with the same ids. Orders that are still in
 * flight are then detected as duplicates, and lost ones are fetched.
 */
export function orderAgain(decision: Decision): void {
  const { run, emit, now } = decision
  if (!isWaited(run) || !isQuiet(run, now)) return
  const again = run.silences + 1
  if (again > maxSilences) {
    failOrders(decision)
    return
  }
  doWithoutBrowsers(decision)
  orderLoginAgain(decision, again)
  orderSitemapsAgain(decision, again)
  for (const [origin, robots] of run.robots) {
    if (robots.state !== 'ordered') continue
    emit({ type: 'RobotsOrdered', data: { origin, attempt: robots.attempt, again } })
  }
  const messages = Array.from(keysOut(run), ([number, keys]) => ({ number, keys, again }))
  if (messages.length > 0) emit({ type: 'PagesOrdered', data: { messages } })
}

/** Returns when the run must be checked again without an outcome, in epoch milliseconds. */
export function nextCheck(run: Running, runLimitMs: number): number {
  if (run.isUnfinished) return 0
  const { quietSince, decidedAt } = run
  let next = limitAt(run, runLimitMs)
  if (isWaited(run)) next = Math.min(next, quietSince + maxSilenceMs(run))
  const take = (notBefore: number) => {
    const by = dueBy(notBefore, quietSince)
    // Pages that were due already and were not ordered wait for an outcome to free capacity.
    if (by > decidedAt) next = Math.min(next, by)
  }
  for (const key of run.later) take(run.pending.get(key)?.notBefore ?? next)
  for (const [, { notBefore }] of rechecksAtEnd(run)) take(notBefore)
  if (run.login?.state === 'waiting') take(run.login.notBefore)
  for (const robots of run.robots.values()) if (robots.state === 'waiting') take(robots.notBefore)
  for (const sitemap of run.sitemaps.values()) if (sitemap.state === 'waiting') take(sitemap.notBefore)
  return next
}

/** Returns whether any order is in flight. */
export function isWaited({ out, robots, sitemaps, login }: Running): boolean {
  if (out > 0 || login?.state === 'ordered') return true
  for (const { state } of robots.values()) if (state === 'ordered') return true
  for (const { state } of sitemaps.values()) if (state === 'ordered') return true
  return false
}

/**
 * Returns whether the run has been silent long enough to send its orders again. No order was sent in that time
 * either, so all orders in flight have waited as long. If the clock was set back, the time is unknown and counts as
 * long enough.
 */
const isQuiet = (run: Running, now: number): boolean =>
  now - run.quietSince >= maxSilenceMs(run) || isFarAhead(run.quietSince, now)

function maxSilenceMs(run: Running): number {
  let slowest = run.settings.delayMs
  for (const origin of run.robots.keys()) slowest = Math.max(slowest, delayOf(run, origin))
  return silenceMs(run.silences) + intervalsBeforeSilence * slowest
}

/**
 * Ends the orders in flight. A page with a first response is settled with it. A page from the store is fetched instead.
 * All other pages fail.
 */
function failOrders(decision: Decision): void {
  const { run, emit } = decision
  const reason = 'given_up'
  for (const [key, sitemap] of run.sitemaps) {
    if (sitemap.state !== 'ordered') continue
    const { attempt } = sitemap
    retryOrFailSitemap(decision, { key, attempt, reason, transient: false, retryAfterMs: 0 })
  }
  for (const [origin, robots] of run.robots) {
    if (robots.state !== 'ordered') continue
    const { attempt } = robots
    settleRobots(decision, { type: 'robots_failed', origin, attempt, reason, transient: false })
  }
  const out = Array.from(run.pending).filter(([, { order }]) => order !== null)
  for (const [key, pending] of out) {
    if (pending.answer) settleWith(decision, key, pending, pending.answer)
    else if (isFromStore(pending)) fetchInstead(decision, key, pending)
  }
  const unanswered = out.filter(([, pending]) => pending.answer === undefined && !isFromStore(pending))
  const pages = unanswered.map(([key, { attempt }]) => ({ key, reason, attempts: attempt }))
  if (pages.length > 0) emit({ type: 'PagesFailed', data: { pages } })
}

function orderRobots({ run, emit, now }: Decision): void {
  let free = maxRobotsOut
  for (const { state } of run.robots.values()) if (state === 'ordered') free--
  for (const origin of run.awaitingRobots.keys()) {
    if (free <= 0) return
    const known = run.robots.get(origin)
    if (known !== undefined && !(known.state === 'waiting' && isDue(known.notBefore, now))) continue
    emit({ type: 'RobotsOrdered', data: { origin, attempt: known?.attempt ?? 1 } })
    free--
  }
}

function orderPages(decision: Decision, free: number): void {
  const { run, emit, now } = decision
  const remaining = remainingOf(run)
  const reserve = createReserve(decision, remaining)
  const nextKeys = (due: string[], orderable: (keys: Iterable<string>) => Iterator<string, undefined>) =>
    nextInQueues(run, {
      due,
      free,
      orderable,
      freeAt: origin => hostWindow(delayOf(run, origin)) - outAt(run, origin),
      sendsNothing: key => storedOf(decision, key) !== undefined,
    })
  const later = dueLater(run, now)
  const usual = nextKeys([...later, ...dueRechecks(run, now)], keys =>
    orderable(decision, keys, { reserve, remaining }),
  )
  const isReady = run.ready.size > 0 || later.length > 0
  const early = usual.size === 0 && isReady ? earlyRechecks(decision) : []
  const next = early.length > 0 ? nextKeys(early, keys => answered(run, keys, reserve)) : usual
  if (next.size === 0) return
  let number = run.messages
  const messages = [...next].flatMap(([origin, all]) => {
    const { stored = [], requested: keys = [] } = Object.groupBy(all, key =>
      storedOf(decision, key) === undefined ? 'requested' : 'stored',
    )
    const isRendered = (key: string): boolean => run.pending.get(key)?.lane === 'browser'
    const rendered = keys.filter(isRendered)
    const plain = keys.filter(key => !isRendered(key))
    // Each rendered page has its own message, so that any free browser receives the next one.
    const size = messageSize(delayOf(run, origin))
    const byLimit = remaining?.limits
      ? [...Map.groupBy(plain, key => remaining.limits?.get(key)).values()]
      : [plain]
    const requests = [...byLimit.flatMap(keys => chunks(keys, size)), ...chunks(rendered, 1)]
    return [
      ...chunks(stored, ordersPerMessage).map(keys => ({
        ...{ number: ++number, keys },
        stored: keys.flatMap(key => storedOf(decision, key) ?? []),
      })),
      ...requests.map(keys => ({ number: ++number, keys, ...limitOf(remaining, keys) })),
    ]
  })
  emit({ type: 'PagesOrdered', data: { messages } })
}

const dueLater = ({ later, pending }: Running, now: number): string[] =>
  [...later].filter(key => isDue(pending.get(key)?.notBefore ?? 0, now))

/** Returns the maximum bytes of a body, which is equal for all pages of a message. */
function limitOf(remaining: Remaining | null, [key = '']: string[]): { maxBytes?: number } {
  const maxBytes = remaining?.limits?.get(key)
  return maxBytes === undefined ? {} : { maxBytes }
}

function chunks(keys: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, n) => keys.slice(n * size, (n + 1) * size))
}

/** Returns the maximum number of orders in one message, by the delay of their host. */
function messageSize(delayMs: number): number {
  const inSpan = Math.floor(messageSpanMs / Math.max(delayMs, 1))
  return Math.min(Math.max(inSpan, 1), ordersPerMessage)
}
