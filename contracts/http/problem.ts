/** The error envelope of every error response (specification, Errors). */
import { type Static, Type } from 'typebox'

export const Problem = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'Stable code from a closed list.' }),
        message: Type.String({ description: 'Message for people: the problem and the remedy.' }),
        retry_after_seconds: Type.Optional(
          Type.Integer({ minimum: 0, description: 'Seconds to wait before a retry. Also in Retry-After.' }),
        ),
        reason: Type.Optional(Type.String({ description: 'Stable sub-code.' })),
        field: Type.Optional(Type.String({ description: 'The request field that caused the error.' })),
        run_id: Type.Optional(Type.Integer({ description: 'The crawl that was started. It may continue.' })),
        request_id: Type.Optional(
          Type.String({ description: 'Id of this request for support. Also in X-Request-Id.' }),
        ),
      },
      { $id: 'Refusal', description: 'The error and its reason.' },
    ),
  },
  { $id: 'Problem' },
)
export type Problem = Static<typeof Problem>

const { code: Code, ...ofError } = Problem.properties.error.properties

/** The error as RFC 9457 problem details, for clients that prefer `application/problem+json`. */
export const ProblemDetails = Type.Object(
  {
    type: Type.Literal('about:blank', { description: 'Always this value: `code` names the error.' }),
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
