/**
 * Requests pages with a server error (5xx) again when nothing else of their run is pending. The second response
 * counts, because a host that fails for a moment looks like a broken page. Without a second response, or if the run
 * ends before, the first one becomes the page. The second request therefore never loses a page.
 */
import type { PageResponse } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { type Decision, maxUrls } from './circumstances.ts'
import { mayBeOrdered } from './evolve/evolve-robots.ts'
import type { Rechecks } from './limits/state.ts'
import { unpaidOf } from './rendering.ts'
import { isDue, recheckAfter } from './retry.ts'
import type { Pending, Run, Running } from './run.ts'
import { awaitsSitemaps } from './sitemaps.ts'

type PageOutcome = Extract<Outcome, { type: 'page' }>

/** Maximum second requests that one decision considers: more than a run may have in flight. */
const maxAtOnce = 1_000

/** Returns the part of an outcome that is stored as the page. */
export function answerOf(outcome: PageOutcome): PageResponse {
  const { type, runId, key, links, parts, isScriptOnly, attempt, ...answer } = outcome
  return { ...answer, ...(attempt > 1 && { attempt }) }
}

/** Returns whether a response is a server error. A challenge is not a response of the page, whatever its status. */
export const isServerError = ({ status, blocked }: PageResponse): boolean => status >= 500 && !blocked

/** Returns whether this is the first server error of the page, delivered a second time. */
export const isFirstAnswer = ({ attempt = 1 }: PageResponse, { answer }: Pending): boolean =>
  answer !== undefined && attempt <= (answer.attempt ?? 1)

/** Postpones a page with a server error until the end of the run. */
export function recheckLater(
  { emit, now }: Decision,
  key: string,
  answer: PageResponse,
  { attempt }: Pending,
): void {
  const again = { reason: `http_${answer.status}`, ...recheckAfter(attempt, now) }
  emit({ type: 'PagesRetried', data: { pages: [{ key, ...again, answer }] } })
}

/** Settles a page with a response. */
export function settleWith(decision: Decision, key: string, { found }: Pending, answer: PageResponse): void {
  const { url, depth, requestedUrl = null } = found
  const page = { key, id: decision.takeId(), url, depth, requestedUrl, ...answer }
  decision.emit({ type: 'PagesSettled', data: { pages: [page] } })
}

/**
 * Settles all pages with their first responses when the run ends. Returns false if one decision cannot hold them all.
 */
export function settleFirstAnswers(decision: Decision): boolean {
  const { run, mayEmit } = decision
  if (run.rechecks.all === 0) return true
  for (const [key, pending] of [...run.pending]) {
    if (pending.answer === undefined) continue
    if (!mayEmit()) return false
    settleWith(decision, key, pending, pending.answer)
  }
  return true
}

/** Types of outcomes that may settle a page, if only with its first response. */
const settling = new Set<Outcome['type']>(['page', 'redirect', 'failed'])

/**
 * Returns the maximum number of pages that the decision of a command settles: one for each response, redirect or
 * failure among its outcomes, and all first responses if the run may end. An end by its maximum duration or by its
 * login, and a command without outcomes, do not wait for orders in flight.
 */
export function maxSettledPages(run: Run, outcomes: readonly Outcome[]): number {
  const answered = outcomes.filter(({ type }) => settling.has(type)).length
  if (run.status !== 'running') return answered
  const mayEnd = outcomes.length === 0 || run.login !== null || run.out <= outcomes.length
  return answered + (mayEnd ? Math.min(run.rechecks.all, maxUrls) : 0)
}

/** Returns whether only second requests are pending. */
export const isAtEnd = (run: Running): boolean =>
  run.pending.size === run.rechecks.all && !awaitsSitemaps(run)

/** Yields the first pages that wait for the end of the run, once nothing else is pending. */
export function* rechecksAtEnd(run: Running): Generator<[key: string, pending: Pending]> {
  if (isAtEnd(run)) yield* firstRechecks(run)
}

function* firstRechecks(run: Running): Generator<[key: string, pending: Pending]> {
  let left = maxAtOnce
  for (const key of run.rechecks.waiting) {
    if (left-- === 0) return
    const pending = run.pending.get(key)
    if (pending) yield [key, pending]
  }
}

/** Returns the keys of the pages whose second request may be ordered now. */
export const dueRechecks = (run: Running, now: number): string[] => dueOf(run, rechecksAtEnd(run), now)

/**
 * Returns the keys of the pages whose second request may be ordered before the end of the run. This happens if nothing
 * is in flight, other pages are ready but lack units, and the allowance may grow. Second requests may hold the rest of
 * the allowance, so the run would otherwise wait forever.
 */
export function earlyRechecks({ run, now, allowance, cloudAllowance }: Decision): string[] {
  const { out, pending, rechecks } = run
  const toBeRendered = unpaidOf(run)
  const isPlainShort = pending.size - rechecks.waiting.size > toBeRendered && !allowance.isFinal
  const isCloudShort = toBeRendered > 0 && !cloudAllowance.isFinal
  return out === 0 && (isPlainShort || isCloudShort) ? dueOf(run, firstRechecks(run), now) : []
}

/** Yields the keys of second requests for which `reserve` returns true. */
export function* answered(run: Running, keys: Iterable<string>, reserve: (key: string) => boolean) {
  for (const key of keys) if (run.pending.get(key)?.answer && reserve(key)) yield key
  return undefined
}

/**
 * Returns the keys of the pages that are due and whose robots.txt is known. The second condition may be false after a
 * late response of an earlier attempt, while the run reads robots.txt again.
 */
const dueOf = (run: Running, rechecks: Iterable<[key: string, pending: Pending]>, now: number): string[] =>
  Array.from(rechecks).flatMap(([key, { notBefore, found }]) =>
    isDue(notBefore, now) && mayBeOrdered(run, found.url) ? [key] : [],
  )

/** Returns the number of waiting second requests that reserve a page, not a cloud page, of the quota. */
export const plainRechecks = ({ waiting, rendered }: Rechecks): number => waiting.size - rendered.size

/** Lets a page wait for the end of the run. Call it while no order of the page is in flight. */
export function awaitEnd({ rechecks }: Running, key: string, { lane }: Pending): void {
  rechecks.waiting.add(key)
  if (lane === 'browser') rechecks.rendered.add(key)
}

/** Removes a page that is ordered, is settled, or changes its lane. */
export function leaveRechecks({ rechecks }: Running, key: string): void {
  rechecks.waiting.delete(key)
  rechecks.rendered.delete(key)
}
