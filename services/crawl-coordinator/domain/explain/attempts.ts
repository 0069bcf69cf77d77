/** Records the attempts at one URL, each from its order to its outcome. */
import type { UrlAttempt } from '@tidemark/contracts/http/explain'

/** Time and position of an event. */
export type When = { at: string; sequence: number }

/** Returns an attempt without an outcome. */
export const attemptAt = (
  at: string,
  attempt: number,
  more: Partial<Pick<UrlAttempt, 'of' | 'by'>>,
): UrlAttempt => ({
  attempt,
  by: 'http',
  ordered_at: at,
  ended_at: null,
  outcome: 'pending',
  reason: null,
  not_before: null,
  ...more,
})

/** Ends the last attempt, if it is pending. A page that is skipped before its first request has no attempt. */
export function endAttempt(attempts: UrlAttempt[], { at }: When, end: Partial<UrlAttempt>): void {
  const last = attempts.at(-1)
  if (last?.outcome === 'pending') Object.assign(last, { ended_at: at, ...end })
}

export function retry(
  attempts: UrlAttempt[],
  when: When,
  of: { reason: string | null; notBefore: string },
): void {
  endAttempt(attempts, when, { outcome: 'retried', reason: of.reason, not_before: of.notBefore })
}
