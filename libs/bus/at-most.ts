/** Bounds the concurrent calls of a handler: excess calls are refused early instead of answered late. */
import { refuse } from './refusal.ts'

const usualRetryAfterSeconds = 5

/** Returns the same handler, which refuses (503 `unavailable`) calls above `max` at once. */
export function atMost<Arguments extends unknown[], Answer>(
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
