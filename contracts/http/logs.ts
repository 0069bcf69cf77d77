/** `/v1/logs`: the calls of a project, newest first (specification, Audit log entry). */
import { type Static, Type } from 'typebox'
import { described, Timestamp } from '../primitives.ts'
import { formatField, nextOffset, warnings } from './lists.ts'

export const LogEntry = Type.Object(
  {
    ts: described(Timestamp, 'Time of the call.'),
    method: Type.String({ description: 'HTTP method, such as GET.' }),
    path: Type.String({ description: 'Path without the query.' }),
    status: Type.Integer({
      description: 'HTTP status of the response; 499: the client disconnected before it began.',
    }),
    duration_ms: Type.Number({ description: 'Milliseconds until the response was sent.' }),
    client_ip: Type.String({ description: 'Address of the client, according to the trusted proxies.' }),
    request_id: Type.String({ description: 'X-Request-Id of the response.' }),
  },
  { $id: 'LogEntry' },
)
export type LogEntry = Static<typeof LogEntry>

/** The CSV columns, in order. */
export const logColumns = Object.keys(LogEntry.properties)

export const LogList = Type.Object(
  { items: Type.Array(LogEntry, { description: 'Newest first.' }), next_offset: nextOffset, warnings },
  { $id: 'LogList' },
)

const status = (description: string) => Type.Optional(Type.Integer({ description, examples: [400] }))

export const LogQuery = Type.Object({
  limit: Type.Integer({ default: 100, minimum: 1, maximum: 500, description: 'Maximum number of calls.' }),
  offset: Type.Integer({ default: 0, minimum: 0, description: 'Number of calls to skip.' }),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'A time in RFC 3339: only calls until then, inclusive. Each read of this list adds a call at its front. Continue with the `ts` of the last item. Set `offset` to the number of items with this `ts` that you have. Skip repeated values of `request_id`.',
      examples: ['2026-01-02T03:04:05.678Z'],
    }),
  ),
  status_min: status('Only calls with at least this status.'),
  status_max: status('Only calls with at most this status.'),
  format: formatField,
})
export type LogQuery = Static<typeof LogQuery>
