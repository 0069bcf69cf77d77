/** A bound on what is answered at once: what is too much is refused early, and not answered late. */
import { Refusal } from '@tidemark/bus/ask'
import { problems } from '@tidemark/contracts/problems'

/** The same handler, which refuses (503) what would be more than `most` at once. */
export function atMost<Question, Answer>(most: number, handle: (question: Question) => Promise<Answer>) {
  let underWay = 0
  return async (question: Question): Promise<Answer> => {
    if (underWay >= most) throw busy()
    underWay += 1
    try {
      return await handle(question)
    } finally {
      underWay -= 1
    }
  }
}

function busy(): Refusal {
  const { status, says: message } = problems.unavailable
  return new Refusal({ status, code: 'unavailable', message, retryAfterSeconds: 5 })
}
