/**
 * A page that returns a server error (5xx) is requested again when nothing else of its run is pending, and the second
 * answer counts: a host that fails for a moment looks like a broken page. Without a second answer, or if the run ends
 * before, the first one makes the page. So the second request never loses a page that the run has.
 */
import type { PageAnswer } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import type { Decision } from './circumstances.ts'
import { isDue, recheckAfter } from './retry.ts'
import type { Pending, Rechecks, Running } from './run.ts'
import { awaitsSitemaps } from './sitemaps.ts'

type PageOutcome = Extract<Outcome, { type: 'page' }>

/** Max second requests that one decision considers: more than a window holds. */
const maxAtOnce = 1_000

/** Returns the part of an outcome that makes the page. */
export function answerOf(outcome: PageOutcome): PageAnswer {
  const {
    type: _,
    runId: __,
    key: ___,
    attempt,
    links: ____,
    parts: _____,
    isScriptOnly: ______,
    ...rest
  } = outcome
  return { ...rest, ...(attempt > 1 && { attempt }) }
}

/** Whether this answer decides on a second request. A challenge is not the page's own answer, whatever its status. */
export const isServerError = ({ status, blocked }: PageAnswer): boolean => status >= 500 && !blocked

/** Whether this is the server error that the page is requested again for, delivered twice. */
export const isFirstAnswer = ({ attempt = 1 }: PageAnswer, { answer }: Pending): boolean =>
  answer !== undefined && attempt <= (answer.attempt ?? 1)

/** Puts a page off until the end of the run. */
export function recheckLater(
  { emit, now }: Decision,
  key: string,
  answer: PageAnswer,
  { attempt }: Pending,
): void {
  const again = { reason: `http_${answer.status}`, ...recheckAfter(attempt, now) }
  emit({ type: 'PagesRetried', data: { pages: [{ key, ...again, answer }] } })
}

/** Makes a page of what it answered. */
export function settleWith(decision: Decision, key: string, { found }: Pending, answer: PageAnswer): void {
  const { url, depth, requestedUrl = null } = found
  const page = { key, id: decision.takeId(), url, depth, requestedUrl, ...answer }
  decision.emit({ type: 'PagesSettled', data: { pages: [page] } })
}

/** Makes pages of all first answers when the run ends; returns false where one decision cannot hold them all. */
export function settleFirstAnswers(decision: Decision): boolean {
  const { run, mayTell } = decision
  if (run.rechecks.all === 0) return true
  for (const [key, pending] of [...run.pending]) {
    if (pending.answer === undefined) continue
    if (!mayTell()) return false
    settleWith(decision, key, pending, pending.answer)
  }
  return true
}

/** Whether nothing is pending but second requests. */
export const isAtEnd = (run: Running): boolean =>
  run.rechecks.waiting.size > 0 && run.pending.size === run.rechecks.all && !awaitsSitemaps(run)

/** Yields the first pages that wait for the end of the run, once nothing else is pending. */
export function* rechecksAtEnd(run: Running): Generator<[key: string, pending: Pending]> {
  if (!isAtEnd(run)) return
  let left = maxAtOnce
  for (const key of run.rechecks.waiting) {
    if (left-- === 0) return
    const pending = run.pending.get(key)
    if (pending) yield [key, pending]
  }
}

/** Returns the keys of those that may be ordered now. */
export const dueRechecks = (run: Running, now: number): string[] =>
  Array.from(rechecksAtEnd(run)).flatMap(([key, { notBefore }]) => (isDue(notBefore, now) ? [key] : []))

/** Counts the second requests still to go out that hold a page, and not a cloud page, of what the run may spend. */
export const plainRechecks = ({ waiting, rendered }: Rechecks): number => waiting.size - rendered.size

/** Lets a page wait for the end of the run. To be called when no order of it is out. */
export function awaitEnd({ rechecks }: Running, key: string, { lane }: Pending): void {
  rechecks.waiting.add(key)
  if (lane === 'browser') rechecks.rendered.add(key)
}

/** Removes a page that is ordered, has its end, or changes its lane. */
export function leaveRechecks({ rechecks }: Running, key: string): void {
  rechecks.waiting.delete(key)
  rechecks.rendered.delete(key)
}
