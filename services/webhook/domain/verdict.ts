/** Judges an attempt: delivered, dead, or a retry after a wait (specification, Delivery rules 3 and 4). */

/** Outcome of one attempt: the status of the response, or a stable reason if there was no response. */
export type Outcome = {
  status: number | null
  /** Null if the receiver accepted the webhook. */
  error: string | null
  /** The address is not allowed, so nothing was sent and no retry would help. */
  isRefused: boolean
  /** Beginning of the response of a receiver that did not accept the webhook, if it is text. */
  excerpt: string | null
  elapsedMs: number
}

export type Verdict =
  | { state: 'delivered' }
  | { state: 'dead'; error: string }
  | { state: 'pending'; error: string; waitMs: number }

export type Rules = {
  /** Waits before the second, third … attempt. Their number is the number of retries. */
  waitsMs: readonly number[]
  /** 4xx statuses that are retried. */
  retriedStatuses: readonly number[]
  /** Returns a new random number from 0 up to 1. */
  chance: () => number
}

export const maxAttempts = 5
const maxJitter = 0.08

/** Returns the verdict on an attempt, counted from 1. */
export function judge(
  outcome: Outcome,
  attempt: number,
  { waitsMs, retriedStatuses, chance }: Rules,
): Verdict {
  const { status, error, isRefused } = outcome
  if (error === null) return { state: 'delivered' }
  const isFinal = isOfClient(status) && !retriedStatuses.includes(status)
  const wait = waitsMs[attempt - 1]
  if (isRefused || isFinal || wait === undefined) return { state: 'dead', error }
  return { state: 'pending', error, waitMs: wait * (1 + maxJitter * chance()) }
}

/** Returns whether the endpoint itself failed: an error other than 4xx, or no response from an allowed address. */
export const isFaultOfEndpoint = ({ status, error, isRefused }: Outcome): boolean =>
  error !== null && !isRefused && !isOfClient(status)

const isOfClient = (status: number | null): status is number =>
  status !== null && status >= 400 && status < 500
