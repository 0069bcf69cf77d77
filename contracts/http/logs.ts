/** `/v1/logs`: the calls of a project, the latest first (specification, Audit log entry). */
import { type Static, Type } from 'typebox'
import { Timestamp } from '../primitives.ts'

export const LogEntry = Type.Object(
  {
    ts: Timestamp,
    method: Type.String(),
    path: Type.String({ description: 'Without the query.' }),
    status: Type.Integer(),
    duration_ms: Type.Number(),
    client_ip: Type.String(),
    request_id: Type.String(),
  },
  { $id: 'LogEntry' },
)
export type LogEntry = Static<typeof LogEntry>

export const LogList = Type.Object({ items: Type.Array(LogEntry) }, { $id: 'LogList' })

const status = Type.Integer({ minimum: 100, maximum: 599 })

export const LogQuery = Type.Object({
  limit: Type.Integer({ default: 100, minimum: 1, maximum: 500 }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 1_000_000 }),
  status_min: Type.Optional(status),
  status_max: Type.Optional(status),
})
export type LogQuery = Static<typeof LogQuery>
