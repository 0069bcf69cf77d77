/** Retries requests, so that long work survives a short outage of another service. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { ApiProblem } from '../http/domain/problem.ts'

/** The pause in ms before each retry. */
const waitsMs = [500, 1_000, 2_000, 5_000, 10_000]

/** Retries temporary errors: by default those of a service that is unavailable or overloaded. Throws the error of the last try. */
export async function retryWhileUnavailable<Answer>(
  signal: AbortSignal,
  requestOnce: () => Promise<Answer>,
  isTemporary = isAway,
): Promise<Answer> {
  for (const waitMs of waitsMs) {
    try {
      return await requestOnce()
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
  return requestOnce()
}

/** Returns whether the service is unavailable, or has too many requests of all projects or of this one. */
export const isAway = (error: unknown): boolean =>
  isCrowded(error) ||
  ((error instanceof Refusal || error instanceof ApiProblem) && error.code === 'unavailable')

/** Returns whether the service has too many requests of this project. */
export const isCrowded = (error: unknown): boolean =>
  error instanceof Refusal && error.reason === 'concurrent_requests'
