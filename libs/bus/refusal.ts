/** A question that was understood and is answered with no: it travels as it is, to the client if need be. */
import { type Cause, causes, named } from '@tidemark/contracts/health'
import { type ProblemCode, problems, type Reason } from '@tidemark/contracts/problems'
import { knownCause } from './cause.ts'

export type Refused = {
  /** The HTTP status that it means. */
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

  /** What goes over the wire. */
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

/** What is told of something that was thrown: a refusal as it is, what is away or full by its name, of all else nothing. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const cause = knownCause(error)
  if (cause === null) return refuse('internal', {}, { cause: error })
  return refuse(
    'unavailable',
    { message: awayBecause(cause), retryAfterSeconds: awaySeconds },
    { cause: error },
  )
}

/** A sentence for whoever asked. */
export const awayBecause = (cause: Cause): string =>
  `A part of the service is away (${named(cause, causes[cause])}). Try again shortly.`

type Details = { message?: string; reason?: Reason; field?: string; retryAfterSeconds?: number }

/** The refusal of this code, with its status; its sentence too, unless the details have a better one. */
export const refuse = (code: ProblemCode, details: Details = {}, options?: ErrorOptions): Refusal =>
  new Refusal({ status: problems[code].status, code, message: problems[code].says, ...details }, options)
