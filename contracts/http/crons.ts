/** `/v1/crons`: monitors (specification, Monitors), and the answer of `POST /v1/crawls` with `cron`. */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'

export const MonitorView = Type.Object(
  {
    id: Id,
    schedule: Type.String({ description: 'Five fields of crontab(5), in UTC.', examples: ['0 6 * * 1-5'] }),
    url: Type.String(),
    enabled: Type.Boolean(),
    last_fired_at: orNull(Timestamp),
    next_fires_at: orNull(Timestamp),
    last_run_id: orNull(Id),
    webhook_url: orNull(Type.String()),
  },
  { $id: 'Monitor' },
)
export type MonitorView = Static<typeof MonitorView>

export const MonitorList = Type.Object({ items: Type.Array(MonitorView) }, { $id: 'MonitorList' })
export type MonitorList = Static<typeof MonitorList>

export const MonitorAccepted = Type.Object(
  {
    monitor_id: Id,
    schedule: Type.String(),
    next_fires_at: orNull(Timestamp),
    url: Type.String(),
    info: Type.String(),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'MonitorAccepted' },
)
export type MonitorAccepted = Static<typeof MonitorAccepted>

/** At least one of these; none is 422. */
export const MonitorChange = Type.Object(
  {
    schedule: Type.Optional(Type.String({ maxLength: 255 })),
    enabled: Type.Optional(Type.Boolean()),
    webhook_url: Type.Optional(Type.String({ maxLength: 8192 })),
  },
  { $id: 'MonitorChange' },
)
export type MonitorChange = Static<typeof MonitorChange>

export const MonitorParams = Type.Object({ id: Type.Integer({ description: 'The monitor.' }) })
export type MonitorParams = Static<typeof MonitorParams>
