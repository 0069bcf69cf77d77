/** Bounds the concurrent calls of a handler: excess calls are refused early instead of answered late. */
import type { Reason } from '@tidemark/contracts/problems'
import { refuse } from './refusal.ts'

const usualRetryAfterSeconds = 5

/** Returns the same handler, which refuses (503 `unavailable`) calls above `max` at once. */
export function limited<Arguments extends unknown[], Answer>(
  max: number,
  handler: (...input: Arguments) => Promise<Answer>,
  retryAfterSeconds = usualRetryAfterSeconds,
): (...input: Arguments) => Promise<Answer> {
  let underWay = 0
  return async (...input) => {
    if (underWay >= max) throw refuse('unavailable', { retryAfterSeconds })
    underWay += 1
    try {
      return await handler(...input)
    } finally {
      underWay -= 1
    }
  }
}

type OfProject = { projectId?: number }

type ProjectLimit = {
  max: number
  /** The reason and the sentence of the refusal. Default: `concurrent_requests`. */
  refusal?: { reason: Reason; message: string }
}

/**
 * Returns the same handler, which refuses (429 `too_many_requests`) calls of a project above `max` at once. Callers of
 * earlier versions name no project, and have no limit here.
 */
export function limitedByProject<Arguments extends [OfProject, ...unknown[]], Answer>(
  { max, refusal = tooMany(max) }: ProjectLimit,
  handler: (...input: Arguments) => Promise<Answer>,
): (...input: Arguments) => Promise<Answer> {
  const underWay = new Map<number, number>()
  return async (...input) => {
    const [{ projectId }] = input
    if (projectId === undefined) return handler(...input)
    const own = underWay.get(projectId) ?? 0
    if (own >= max)
      throw refuse('too_many_requests', { ...refusal, retryAfterSeconds: usualRetryAfterSeconds })
    underWay.set(projectId, own + 1)
    try {
      return await handler(...input)
    } finally {
      const left = (underWay.get(projectId) ?? 1) - 1
      if (left > 0) underWay.set(projectId, left)
      else underWay.delete(projectId)
    }
  }
}

const tooMany = (max: number) => ({
  reason: 'concurrent_requests' as const,
  message: `The project already has ${max} requests of this kind under way. Try again when one has ended.`,
})

/** Share of all calls that one project may have under way, and the minimum number. */
const share = 1 / 4
const minOfProject = 4

/**
 * Returns the same handler with both limits: `max` calls, of which a project may have a quarter, at least four.
 * @param maxOfProject replaces this share
 */
export const inShares = <Arguments extends [OfProject, ...unknown[]], Answer>(
  max: number,
  handler: (...input: Arguments) => Promise<Answer>,
  maxOfProject = Math.max(minOfProject, Math.floor(max * share)),
): ((...input: Arguments) => Promise<Answer>) =>
  limitedByProject({ max: maxOfProject }, limited(max, handler))
