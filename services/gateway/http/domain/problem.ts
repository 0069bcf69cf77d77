/**
 * Defines the errors of the API: a code of a fixed list with its details. The code that throws an `ApiProblem` chooses
 * the text for the client. Every other thrown error is an internal error.
 */
import { type ProblemCode, problems, type Reason } from '@tidemark/contracts/problems'

type Details = {
  /** Replaces the status of the table, if the specification has another one for an endpoint. */
  status?: number | undefined
  message?: string | undefined
  reason?: Reason | undefined
  field?: string | undefined
  retryAfterSeconds?: number | undefined
  /** The existing run to which the error refers. */
  runId?: number | undefined
  headers?: Record<string, string>
  cause?: unknown
}

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly code: ProblemCode
  readonly status: number
  readonly reason: Reason | undefined
  readonly field: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly runId: number | undefined
  readonly headers: Record<string, string>

  /** @param code determines the HTTP status and the message, unless the details have others */
  constructor(code: ProblemCode, details: Details = {}) {
    const { message = problems[code].message, status = problems[code].status } = details
    const { reason, field, retryAfterSeconds, runId, headers = {}, cause } = details
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.status = status
    this.reason = reason
    this.field = field
    const isLasting = lasting.has(code) || (reason !== undefined && lastingReasons.has(reason))
    this.retryAfterSeconds = isLasting ? undefined : (retryAfterSeconds ?? defaultRetry[status])
    this.runId = runId
    this.headers = headers
  }

  /** The headers that the specification requires with this problem. */
  get allHeaders(): Record<string, string> {
    return {
      ...(this.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
      ...(this.retryAfterSeconds !== undefined && { 'retry-after': String(this.retryAfterSeconds) }),
      ...this.headers,
    }
  }
}

/** Returns the value. Throws `not_found` for null: the project has nothing with this id. */
export function found<Value>(value: Value | null): Value {
  if (value === null) throw new ApiProblem('not_found')
  return value
}

/** The status that proxies log for a client that left before the answer began. It is not an HTTP status. */
export const clientLeftStatus = 499

/** Returns the error of work that ended because its client has left. No client receives it, and it is not a fault. */
export const clientLeft = (): ApiProblem =>
  new ApiProblem('unavailable', { status: clientLeftStatus, message: 'The client left.' })

/** Default seconds of `Retry-After` by status. */
const defaultRetry: Record<number, number> = { 429: 5, 503: 5 }

/** Codes without a retry: they last until the operator changes something. */
const lasting: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['not_configured'])
/** Reasons without a retry: they last until the client changes something. */
const lastingReasons: ReadonlySet<Reason> = new Set<Reason>(['export_bytes'])

/** Returns the details of a problem beside its code and message, with the specification's names. */
export const details = ({ retryAfterSeconds, reason, field, runId }: ApiProblem) => ({
  ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  ...(reason !== undefined && { reason }),
  ...(field !== undefined && { field }),
  ...(runId !== undefined && { run_id: runId }),
})
