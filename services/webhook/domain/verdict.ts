/** What follows from an attempt: delivered, dead, or another one after a while (specification, Delivery rules 3 and 4). */

/** What came of one attempt: an answer's status, or a stable reason where there was none that counts. */
export type Outcome = {
  status: number | null
  /** Null when the receiver took it. */
  error: string | null
  /** Nothing was sent and nothing would be: the address may not be asked. */
  isRefused: boolean
  elapsedMs: number
}

export type Verdict =
  | { state: 'delivered' }
  | { state: 'dead'; error: string }
  | { state: 'pending'; error: string; waitMs: number }

export type Rules = {
  /** Before the second, third … attempt. Their number is that of the retries. */
  waitsMs: readonly number[]
  /** Of 4xx, those that are tried again. */
  retriedStatuses: readonly number[]
  /** From 0 up to 1, anew for each call. */
  chance: () => number
}

export const mostAttempts = 5
const mostJitter = 0.08

/** `attempt` counts from 1. */
export function judge(
  outcome: Outcome,
  attempt: number,
  { waitsMs, retriedStatuses, chance }: Rules,
): Verdict {
  const { status, error, isRefused } = outcome
  if (error === null) return { state: 'delivered' }
  const isFinal = status !== null && status >= 400 && status < 500 && !retriedStatuses.includes(status)
  const wait = waitsMs[attempt - 1]
  if (isRefused || isFinal || attempt >= mostAttempts || wait === undefined) return { state: 'dead', error }
  return { state: 'pending', error, waitMs: wait * (1 + mostJitter * chance()) }
}
