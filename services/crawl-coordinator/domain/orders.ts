/** Which pages go out next, and what happens when nothing comes back. */
import type { RunEvent } from '@tidemark/contracts/run'
import { ordersPerMessage } from '@tidemark/contracts/work/fetch'
import type { Decision } from './decision.ts'
import { forbiddenBy, pruned } from './discover.ts'
import { nextInLine, outAt } from './lines.ts'
import { doWithoutBrowsers, freeBrowsers } from './rendering.ts'
import { dueBy, isDue, isFarAhead, mostSilences, silenceMs } from './retry.ts'
import { endOfForbidden, settleRobots } from './robots.ts'
import { originOf, type Running, spentBy } from './run.ts'
import { orderSitemaps, orderSitemapsAgain, retryOrFailSitemap } from './sitemaps.ts'
import { judgeWaiting } from './traps/traps.ts'

/** A silence begins after so many turns at the slowest host, which the run may share with as many others. */
const turnsWithoutNews = 20
/** A message holds about this much waiting at the host, so that a slow host holds few of them. */
const messageSpanMs = 4_000
/** And a host has about this much of a run waiting: what waits there keeps a place in a fetcher from others. */
const windowSpanMs = 8_000
/** One is fetched, the next waits. */
const leastWindow = 2
const longestCrawlDelayMs = 30_000
/** Origins of a run that are asked for their robots.txt at once. */
const mostRobotsOut = 500

/** Hands out what is ready, as far as the run's window and those of its hosts allow. */
export function orderNext(decision: Decision): void {
  orderSitemaps(decision)
  orderRobots(decision)
  const free = decision.window - decision.run.out
  if (free > 0) orderPages(decision, free)
}

/** Pages that may still be ordered plainly without spending more than the project may. */
export const leftOf = ({ run, allowance }: Pick<Decision, 'run' | 'allowance'>): number =>
  allowance.pages - spentBy(run).page - (run.out - run.rendering.out)

/** At least this long between two requests to an origin: the run's own delay, or robots.txt's up to 30 s. */
export function delayOf({ settings, robots }: Running, origin: string): number {
  const known = robots.get(origin)
  const crawlDelay = known?.state === 'read' && settings.respectRobots ? (known.group.crawlDelay ?? 0) : 0
  return Math.max(settings.delayMs, Math.min(crawlDelay * 1000, longestCrawlDelayMs))
}

/**
 * Hands out again what nobody has answered for: the same attempts, in messages of the same names. What is still on its
 * way is then known for a repetition, and what was lost is fetched after all.
 */
export function orderAgain(decision: Decision): void {
  const { run, emit, now } = decision
  if (!isWaited(run) || !isQuiet(run, now)) return
  const again = run.silences + 1
  if (again > mostSilences) {
    giveUp(decision)
    return
  }
  doWithoutBrowsers(decision)
  orderSitemapsAgain(decision, again)
  for (const [origin, robots] of run.robots) {
    if (robots.state !== 'ordered') continue
    emit({ type: 'RobotsOrdered', data: { origin, attempt: robots.attempt, again } })
  }
  const messages = Array.from(keysOut(run), ([number, keys]) => ({ number, keys, again }))
  if (messages.length > 0) emit({ type: 'PagesOrdered', data: { messages } })
}

/** When the run has to be looked at again although nothing came back, in epoch milliseconds. */
export function nextLook(run: Running, runLimitMs: number): number {
  if (run.isUnfinished) return 0
  const { quietSince, decidedAt } = run
  let next = Date.parse(run.startedAt) + runLimitMs
  if (isWaited(run)) next = Math.min(next, quietSince + patienceOf(run))
  const take = (notBefore: number) => {
    const by = dueBy(notBefore, quietSince)
    // What was due already, and did not go out, has no room before something comes back.
    if (by > decidedAt) next = Math.min(next, by)
  }
  for (const key of run.later) take(run.pending.get(key)?.notBefore ?? next)
  for (const robots of run.robots.values()) if (robots.state === 'waiting') take(robots.notBefore)
  for (const sitemap of run.sitemaps.values()) if (sitemap.state === 'waiting') take(sitemap.notBefore)
  return next
}

/** Whether anything is out that could come back. */
function isWaited({ out, robots, sitemaps }: Running): boolean {
  if (out > 0) return true
  for (const { state } of robots.values()) if (state === 'ordered') return true
  for (const { state } of sitemaps.values()) if (state === 'ordered') return true
  return false
}

/** Nothing went out either: so all that is out has waited for as long. Where the clock went back, nobody knows. */
const isQuiet = (run: Running, now: number): boolean =>
  now - run.quietSince >= patienceOf(run) || isFarAhead(run.quietSince, now)

function patienceOf(run: Running): number {
  let slowest = run.settings.delayMs
  for (const origin of run.robots.keys()) slowest = Math.max(slowest, delayOf(run, origin))
  return silenceMs(run.silences) + turnsWithoutNews * slowest
}

/** The pages that are out, by the number of their message. */
export function keysOut({ pending }: Running): Map<number, string[]> {
  const byMessage = new Map<number, string[]>()
  for (const [key, { order }] of pending) {
    if (!order) continue
    const keys = byMessage.get(order.message)
    if (keys) keys.push(key)
    else byMessage.set(order.message, [key])
  }
  return byMessage
}

function giveUp(decision: Decision): void {
  const { run, emit } = decision
  const reason = 'given_up'
  for (const [key, sitemap] of run.sitemaps) {
    if (sitemap.state !== 'ordered') continue
    retryOrFailSitemap(decision, { key, reason, transient: false, retryAfterMs: 0 })
  }
  for (const [origin, { state }] of run.robots) {
    if (state === 'ordered')
      settleRobots(decision, { type: 'robots_failed', origin, reason, transient: false })
  }
  const out = Array.from(run.pending).filter(([, { order }]) => order !== null)
  const pages = out.map(([key, { attempt }]) => ({ key, reason, attempts: attempt }))
  if (pages.length > 0) emit({ type: 'PagesFailed', data: { pages } })
}

function orderRobots({ run, emit, now }: Decision): void {
  let free = mostRobotsOut
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
  const affords = affording(decision)
  const next = nextInLine(run, {
    due: [...run.later].filter(key => isDue(run.pending.get(key)?.notBefore ?? 0, now)),
    free,
    freeAt: origin => hostWindow(delayOf(run, origin)) - outAt(run, origin),
    passing: keys => passing(decision, keys, affords),
  })
  if (next.size === 0) return
  let number = run.messages
  const messages = [...next].flatMap(([origin, keys]) => {
    const [rendered = [], plain = []] = [true, false].map(wanted =>
      keys.filter(key => isRendered(run, key) === wanted),
    )
    // Whichever browser is free next takes the next page.
    const all = [...chunks(plain, messageSize(delayOf(run, origin))), ...chunks(rendered, 1)]
    return all.map(keys => ({ number: ++number, keys }))
  })
  emit({ type: 'PagesOrdered', data: { messages } })
}

const isRendered = ({ pending }: Running, key: string): boolean => pending.get(key)?.lane === 'browser'

/** Takes what one page costs, a page or a cloud page, of what the run may still spend; false where that is nothing. */
function affording(decision: Decision): (key: string) => boolean {
  const { run } = decision
  let pages = leftOf(decision)
  let rendered = 0
  return key => {
    const pending = run.pending.get(key)
    if (pending?.lane !== 'browser') return pages-- > 0
    const window = hostWindow(delayOf(run, originOf(pending.found.url)))
    if (freeBrowsers(decision, window) <= rendered) return false
    rendered++
    return true
  }
}

/** Those of a line that may go now; the others are left out, as far as this decision may tell, or wait. */
function* passing(
  decision: Decision,
  keys: Iterable<string>,
  affords: (key: string) => boolean,
): Generator<string, undefined> {
  // Nothing is paid for by a run that may spend nothing, and its line may be long.
  if (leftOf(decision) <= 0 && decision.run.rendering.pending === decision.run.rendering.out) return
  for (const key of keys) {
    const end = endAtItsTurn(decision, key)
    if (end === null) {
      if (affords(key)) yield key
    } else if (decision.mayTell()) decision.emit(end)
    else return
  }
}

/** Since it was admitted its robots.txt was read, and pages of its kind may have turned out to be all the same. */
function endAtItsTurn({ run, trapsOff }: Decision, key: string): RunEvent | null {
  const pending = run.pending.get(key)
  if (pending === undefined) return null
  const { found } = pending
  const forbidden = forbiddenBy(run, found.url)
  if (forbidden) return endOfForbidden(run, pending, forbidden)
  const trap = run.traps && found.depth > 0 ? judgeWaiting(run.traps, found.url, trapsOff) : null
  return trap && pruned(found, trap)
}

function chunks(keys: string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, n) => keys.slice(n * size, (n + 1) * size))
}

const messageSize = (delayMs: number): number =>
  clamp(Math.floor(messageSpanMs / Math.max(delayMs, 1)), 1, ordersPerMessage)

/** How many orders the host's own pace makes worth having out: a slow one holds few. */
const hostWindow = (delayMs: number): number =>
  Math.max(leastWindow, Math.floor(windowSpanMs / Math.max(delayMs, 1)))

const clamp = (n: number, least: number, most: number): number => Math.min(Math.max(n, least), most)
