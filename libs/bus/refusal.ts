/** Describes why a service refuses a request that it understood. It is passed on unchanged, up to the client. */
import { type Cause, causes, named } from '@tidemark/contracts/health'
import { type ProblemCode, problems, type Reason } from '@tidemark/contracts/problems'
import { knownCause } from './cause.ts'
import { stallInWords } from './stall.ts'

export type Refused = {
  /** The HTTP status. */
  status: number
  /** A stable code, from the table of problems. */
  code: string
  message: string
  reason?: string
  field?: string
  retryAfterSeconds?: number
}

export class Refusal extends Error implements Refused {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly reason?: string
  readonly field?: string
  readonly retryAfterSeconds?: number

  constructor({ status, code, message, reason, field, retryAfterSeconds }: Refused, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
    if (reason !== undefined) this.reason = reason
    if (field !== undefined) this.field = field
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
  }

  /** Returns the JSON that is sent. */
  toJSON(): Refused {
    const { status, code, message, reason, field, retryAfterSeconds } = this
    return {
      status,
      code,
      message,
      ...(reason !== undefined && { reason }),
      ...(field !== undefined && { field }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    }
  }
}

const awaySeconds = 5

/**
 * Returns the refusal for an error: a `Refusal` itself, `unavailable` for known causes, else `internal` without
 * details.
 */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isInterrupted(error))
    return refuse('unavailable', { message: interrupted, retryAfterSeconds: awaySeconds }, { cause: error })
  const cause = knownCause(error)
  if (cause === null) return refuse('internal', {}, { cause: error })
  return refuse(
    'unavailable',
    { message: awayBecause(cause), retryAfterSeconds: awaySeconds },
    { cause: error },
  )
}

/** Returns whether the handler was aborted: its process is stopping, or another process has taken over the run. */
const isInterrupted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
const interrupted = 'The process that served the request stopped or handed its work over. Try again shortly.'

/** Returns the sentence that a client receives for this cause. */
export const awayBecause = (cause: Cause): string =>
  cause === 'event_loop_stalled'
    ? `A part of the service was stalled (${named(cause, stallInWords())}). Try again shortly.`
    : `A part of the service is away (${named(cause, causes[cause])}). Try again shortly.`

type Details = { message?: string; reason?: Reason; field?: string; retryAfterSeconds?: number }

/** Returns the refusal of this code, with its status, and its sentence unless the details have a better one. */
export const refuse = (code: ProblemCode, details: Details = {}, options?: ErrorOptions): Refusal =>
  new Refusal({ status: problems[code].status, code, message: problems[code].message, ...details }, options)
