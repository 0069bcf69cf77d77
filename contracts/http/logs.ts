/** `/v1/logs`: the calls of a project, the latest first (specification, Audit log entry). */
import { type Static, Type } from 'typebox'
import { said, Timestamp } from '../primitives.ts'

export const LogEntry = Type.Object(
  {
    ts: said(Timestamp, 'When the call came.'),
    method: Type.String({ description: 'Such as GET.' }),
    path: Type.String({ description: 'Without the query.' }),
    status: Type.Integer({
      description: 'The HTTP status of its answer; 499 where the client left before one began.',
    }),
    duration_ms: Type.Number({ description: 'Milliseconds until the answer was sent.' }),
    client_ip: Type.String({ description: 'Who called, as far as trusted proxies tell.' }),
    request_id: Type.String({ description: 'X-Request-Id of its answer.' }),
  },
  { $id: 'LogEntry' },
)
export type LogEntry = Static<typeof LogEntry>

export const LogList = Type.Object(
  { items: Type.Array(LogEntry, { description: 'The latest first.' }) },
  { $id: 'LogList' },
)

const status = (description: string) => Type.Optional(Type.Integer({ description, examples: [400] }))

export const LogQuery = Type.Object({
  limit: Type.Integer({ default: 100, minimum: 1, maximum: 500, description: 'At most so many calls.' }),
  offset: Type.Integer({ default: 0, minimum: 0, description: 'So many calls are passed over.' }),
  status_min: status('Only calls whose status is at least this.'),
  status_max: status('Only calls whose status is at most this.'),
})
export type LogQuery = Static<typeof LogQuery>
