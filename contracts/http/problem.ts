/** The error envelope of every answer that is not a success (specification, Errors). */
import { type Static, Type } from 'typebox'

export const Problem = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Stable; one of a closed list.' }),
      message: Type.String({ description: 'For a person: what happened and what to do.' }),
      retry_after_seconds: Type.Optional(Type.Integer({ minimum: 0 })),
      reason: Type.Optional(Type.String({ description: 'Stable sub-code.' })),
      field: Type.Optional(Type.String({ description: 'The request field at fault.' })),
      run_id: Type.Optional(Type.Integer({ description: 'The crawl that was begun, and may go on.' })),
      request_id: Type.Optional(
        Type.String({ description: 'Names this request when you ask us about it; also in X-Request-Id.' }),
      ),
    }),
  },
  { $id: 'Problem' },
)
export type Problem = Static<typeof Problem>
