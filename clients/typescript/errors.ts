/**
 * The errors of the client: one class for each code of the API, and the two failures without a response. Programs test
 * the class or `code` and `reason`; `message` is for people.
 */

export type ErrorFacts = {
  status: number
  code: string | null
  message: string
  reason: string | null
  field: string | null
  requestId: string | null
  retryAfter: number | null
  runId: number | null
  headers: Headers
  body: unknown
}

/** Any error that the client itself throws. */
export class TidemarkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** No response arrived: the connection was refused or cut. */
export class ConnectionFailedError extends TidemarkError {
  /** False: the request never left, so it had no effect. */
  readonly wasSent: boolean

  constructor(message: string, wasSent: boolean, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.wasSent = wasSent
  }
}

/** No response arrived within the `timeout` of an attempt. */
export class AttemptTimedOutError extends TidemarkError {}

/** A webhook is not signed with the secret, or is too old. */
export class WebhookVerificationError extends TidemarkError {}

/** An error of the API. `code` is null if the response does not come from Tidemark, such as the page of a proxy. */
export class ApiError extends TidemarkError {
  readonly status: number
  readonly code: string | null
  /** Stable sub-code, such as `daily_pages`. */
  readonly reason: string | null
  /** The field of the request that is invalid. */
  readonly field: string | null
  readonly requestId: string | null
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | null
  /** The crawl to which the error refers. */
  readonly runId: number | null
  readonly headers: Headers
  readonly body: unknown

  constructor(facts: ErrorFacts) {
    super(facts.message)
    this.status = facts.status
    this.code = facts.code
    this.reason = facts.reason
    this.field = facts.field
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
    this.runId = facts.runId
    this.headers = facts.headers
    this.body = facts.body
  }
}

export class InvalidInputError extends ApiError {}
export class InvalidSignatureError extends ApiError {}
export class UnauthorizedError extends ApiError {}
export class NotFoundError extends ApiError {}
export class MethodNotAllowedError extends ApiError {}
/** The work of the request took too long for the service; see `AttemptTimedOutError` for a missing response. */
export class TimedOutError extends ApiError {}
export class ConflictError extends ApiError {}
export class IdempotencyKeyReusedError extends ApiError {}
export class GoneError extends ApiError {}
export class PayloadTooLargeError extends ApiError {}
export class UnsupportedMediaTypeError extends ApiError {}
export class UnsupportedInputError extends ApiError {}
export class NameTakenError extends ApiError {}
export class SignupRateLimitedError extends ApiError {}
export class ChallengeFailedError extends ApiError {}
export class HeadersTooLargeError extends ApiError {}
export class TooManyRequestsError extends ApiError {}
export class InternalError extends ApiError {}
export class FetchFailedError extends ApiError {}
export class NotReadyError extends ApiError {}
export class UnavailableError extends ApiError {}
export class NotConfiguredError extends ApiError {}

/** The class of each code. */
export const errorClasses: Readonly<Record<string, typeof ApiError>> = {
  invalid_input: InvalidInputError,
  invalid_signature: InvalidSignatureError,
  unauthorized: UnauthorizedError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  timeout: TimedOutError,
  conflict: ConflictError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  gone: GoneError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  unsupported_input: UnsupportedInputError,
  name_taken: NameTakenError,
  signup_rate_limited: SignupRateLimitedError,
  challenge_failed: ChallengeFailedError,
  headers_too_large: HeadersTooLargeError,
  too_many_requests: TooManyRequestsError,
  RATE_LIMITED: TooManyRequestsError,
  internal: InternalError,
  fetch_failed: FetchFailedError,
  not_ready: NotReadyError,
  unavailable: UnavailableError,
  not_configured: NotConfiguredError,
}

/** Returns the error that a response describes. `message` is that of a response from elsewhere. */
export function errorOf(
  response: { status: number; headers: Headers },
  text: string,
  message = `The response has the status ${response.status} and does not come from Tidemark.`,
): ApiError {
  const { status, headers } = response
  const body = parsedJson(text)
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  const code = stringIn(error.code)
  const retryAfter = numberIn(headers.get('retry-after')) ?? numberIn(error.retry_after_seconds)
  const facts: ErrorFacts = {
    status,
    code,
    message: stringIn(error.message) ?? message,
    reason: stringIn(error.reason),
    field: stringIn(error.field),
    requestId: stringIn(error.request_id) ?? headers.get('x-request-id'),
    retryAfter,
    runId: numberIn(error.run_id),
    headers,
    body: body ?? text,
  }
  return new ((code === null ? undefined : errorClasses[code]) ?? ApiError)(facts)
}

/** Returns the value of a JSON text; undefined: it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
const stringIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberIn = (value: unknown): number | null =>
  value === null || value === undefined || value === '' || Number.isNaN(Number(value)) ? null : Number(value)
