/** Returns the message for an operator about an error that ended a command. */
import { Refusal } from '@tidemark/bus/refusal'
import { problems } from '@tidemark/contracts/problems'
import { AdminError } from './admin-error.ts'

/** Returns the message of an expected error; null: the error is unexpected. */
export function sentenceOf(error: unknown): string | null {
  if (error instanceof AdminError) return error.message
  if (!(error instanceof Refusal)) return null
  // The usual sentence is for clients of the API: it speaks of a request id, and a command has none.
  if (error.message === problems.internal.message)
    return 'The service failed to process the request. See its log.'
  return error.message
}
