/** Answers invalid requests with 422 at endpoints whose specification requires it. All others answer 400. */
import { ApiProblem } from '../domain/problem.ts'
import { problemOf } from '../plugins/problem-of.ts'

/** The error handler of such a route. */
export function unprocessable(error: unknown): never {
  const { code, message, reason, field } = problemOf(error)
  if (code !== 'invalid_input') throw error
  throw new ApiProblem('invalid_input', { status: 422, message, reason, field })
}
