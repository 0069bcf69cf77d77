/** Long work outlasts a part of the service that is away for a moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tidemark/bus/refusal'
import { ApiProblem } from '../../http/domain/problem.ts'

/** Before each further try. */
const waitsMs = [500, 1_000, 2_000, 5_000, 10_000]

/** Asks again where whoever was asked is away or has too much to do. Throws what the last try threw. */
export async function outlasting<Answer>(
  signal: AbortSignal,
  askOnce: () => Promise<Answer>,
): Promise<Answer> {
  for (const waitMs of waitsMs) {
    try {
      return await askOnce()
    } catch (error) {
      if (signal.aborted || !isAway(error)) throw error
      await sleep(waitMs, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
  return askOnce()
}

export const isAway = (error: unknown): boolean =>
  (error instanceof Refusal || error instanceof ApiProblem) && error.code === 'unavailable'
