/** The error envelope of every answer that is not a success (specification, Errors). */
import { type Static, Type } from 'typebox'

export const Problem = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'Stable; one of a closed list.' }),
        message: Type.String({ description: 'For a person: what happened and what to do.' }),
        retry_after_seconds: Type.Optional(
          Type.Integer({ minimum: 0, description: 'Seconds to wait; also in Retry-After.' }),
        ),
        reason: Type.Optional(Type.String({ description: 'Stable sub-code.' })),
        field: Type.Optional(Type.String({ description: 'The request field at fault.' })),
        run_id: Type.Optional(Type.Integer({ description: 'The crawl that was begun, and may go on.' })),
        request_id: Type.Optional(
          Type.String({ description: 'Names this request when you ask us about it; also in X-Request-Id.' }),
        ),
      },
      { $id: 'Refusal', description: 'What was refused, and why.' },
    ),
  },
  { $id: 'Problem' },
)
export type Problem = Static<typeof Problem>

const { code: Code, ...ofError } = Problem.properties.error.properties

/** The same in the words of RFC 9457, where a client asks for `application/problem+json`. */
export const ProblemDetails = Type.Object(
  {
    type: Type.Literal('about:blank', { description: 'Always this: `code` says what it is.' }),
    title: Type.String({ description: 'The status in words.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: ofError.message,
    instance: Type.String({ description: 'A URN of the request id.' }),
    code: Code,
    retry_after_seconds: ofError.retry_after_seconds,
    reason: ofError.reason,
    field: ofError.field,
    run_id: ofError.run_id,
    request_id: ofError.request_id,
  },
  { $id: 'ProblemDetails' },
)
export type ProblemDetails = Static<typeof ProblemDetails>
