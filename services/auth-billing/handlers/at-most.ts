/** Keeps so much of one kind of work at most; who comes beyond is told to come again, and does not wait in vain. */
import { refuse } from '@tidemark/bus/ask'

const retryAfterSeconds = 10

export function atMost<Q, A>(
  most: number,
  handler: (question: Q) => Promise<A>,
): (question: Q) => Promise<A> {
  let underWay = 0
  return async question => {
    if (underWay >= most) throw refuse('unavailable', { retryAfterSeconds })
    underWay++
    return handler(question).finally(() => underWay--)
  }
}
