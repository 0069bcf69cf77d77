/** What follows from an attempt: delivered, dead, or another one after a while (specification, Delivery rules 3 and 4). */

/** What came of one attempt: an answer's status, or a stable reason where there was none that counts. */
export type Outcome = {
  status: number | null
  /** Null when the receiver took it. */
  error: string | null
  /** Nothing was sent and nothing would be: the address may not be asked. */
  isRefused: boolean
  /** How the answer of a receiver that did not take it began, where that was text. */
  excerpt: string | null
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

export const maxAttempts = 5
const maxJitter = 0.08

/** `attempt` counts from 1. */
export function judge(
  outcome: Outcome,
  attempt: number,
  { waitsMs, retriedStatuses, chance }: Rules,
): Verdict {
  const { status, error, isRefused } = outcome
  if (error === null) return { state: 'delivered' }
  const isFinal = isOfClient(status) && !retriedStatuses.includes(status)
  const wait = waitsMs[attempt - 1]
  if (isRefused || isFinal || attempt >= maxAttempts || wait === undefined) return { state: 'dead', error }
  return { state: 'pending', error, waitMs: wait * (1 + maxJitter * chance()) }
}

/** Whether the endpoint itself is ill: it answers wrongly or not at all, whatever it is told. */
export const isFaultOfEndpoint = ({ status, error, isRefused }: Outcome): boolean =>
  error !== null && !isRefused && !isOfClient(status)

const isOfClient = (status: number | null): status is number =>
  status !== null && status >= 400 && status < 500
