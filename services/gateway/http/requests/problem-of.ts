/** Maps every thrown error to a problem of the API, by tables. Unknown errors become `internal`. */
import { knownCause } from '@tidemark/bus/cause'
import { awayBecause, Refusal } from '@tidemark/bus/refusal'
import { type ProblemCode, problems, type Reason } from '@tidemark/contracts/problems'
import { ApiProblem, clientLeft } from '../domain/problem.ts'

/** Errors of Fastify before a route runs. */
const framework: Record<string, { code: ProblemCode; reason?: Reason; message?: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'invalid_input',
    reason: 'bad_json',
    message: 'The body is empty; send a JSON object.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: {
    code: 'invalid_input',
    reason: 'bad_json',
    message: 'The body is not valid JSON.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_input',
    reason: 'bad_json',
    message: 'The body is shorter or longer than its Content-Length.',
  },
}

/** Matches the SQLSTATE of a database that is too slow or lacks resources, in addition to errors with a known cause. */
const databaseBusy = /^(57014|55P03|53)/

export function problemOf(thrown: unknown): ApiProblem {
  if (thrown instanceof ApiProblem) return thrown
  if (thrown instanceof Refusal) return refused(thrown)
  const { code: given, statusCode = 500 } = thrown instanceof Error ? (thrown as Coded) : {}
  // The code of a DOMException, such as that of an aborted signal, is a number.
  const code = typeof given === 'string' ? given : ''
  const known = Object.hasOwn(framework, code) ? framework[code] : undefined
  if (known) return new ApiProblem(known.code, { message: known.message, reason: known.reason })
  // Fastify gives this status to the error of a connection that closed before the whole body arrived.
  if (code === 'ECONNRESET' && statusCode === 400) return clientLeft()
  if (code.startsWith('FST_') && statusCode >= 400 && statusCode < 500) return new ApiProblem('invalid_input')
  const cause = knownCause(thrown)
  if (cause !== null || databaseBusy.test(code))
    return new ApiProblem('unavailable', { cause: thrown, ...(cause && { message: awayBecause(cause) }) })
  return new ApiProblem('internal', { cause: thrown })
}

type Coded = Error & { code?: unknown; statusCode?: number }

/** Forwards the error of another service with its own message. */
function refused({ code, status, message, reason, field, retryAfterSeconds }: Refusal): ApiProblem {
  const isKnown = Object.hasOwn(problems, code)
  return new ApiProblem(isKnown ? (code as ProblemCode) : 'unavailable', {
    status: isKnown ? status : undefined,
    message,
    reason: reason as Reason | undefined,
    field,
    retryAfterSeconds,
  })
}
