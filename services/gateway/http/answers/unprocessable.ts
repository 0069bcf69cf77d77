/** Endpoints of which the specification says so answer 422 to what is not valid, where all others answer 400. */
import { ApiProblem } from '../domain/problem.ts'
import { problemOf } from '../plugins/problem-of.ts'

/** An error handler for such a route. */
export function unprocessable(error: unknown): never {
  const { code, message, reason, field } = problemOf(error)
  if (code !== 'invalid_input') throw error
  throw new ApiProblem('invalid_input', { status: 422, message, reason, field })
}
