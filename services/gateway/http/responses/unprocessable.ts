/** Changes the status of invalid requests to 422, for endpoints whose specification requires it. */
import { ApiProblem } from '../domain/problem.ts'
import { problemOf } from '../requests/problem-of.ts'

/** The error handler of such a route. Throws every error again, `invalid_input` with status 422. */
export function unprocessable(error: unknown): never {
  const { code, message, reason, field } = problemOf(error)
  if (code !== 'invalid_input') throw error
  throw new ApiProblem('invalid_input', { status: 422, message, reason, field })
}
