/** Builds the error for one field of a request. */
import type { Reason } from '@tidemark/contracts/problems'
import { ApiProblem } from './problem.ts'

export const refusal = (field: string, reason: Reason, message: string) =>
  new ApiProblem('invalid_input', { field, reason, message })
