/** Questions and commands to scheduler. A monitor of another project is one that does not exist. */
import { type Static, Type } from 'typebox'
import { MonitorView } from '../http/crons.ts'
import { Id, orNull, Tier } from '../primitives.ts'
import { RunSettings } from '../run-settings.ts'

export const CreateMonitor = Type.Object({
  projectId: Id,
  tier: Tier,
  url: Type.String(),
  schedule: Type.String(),
  settings: RunSettings,
  idempotencyKey: orNull(Type.String()),
  /** SHA-256 of the request's body, to tell a replay from another request under the same key. */
  fingerprint: Type.String(),
})
export type CreateMonitor = Static<typeof CreateMonitor>

export const MonitorCreatedAnswer = Type.Object({
  monitor: MonitorView,
  replayed: Type.Boolean(),
  sameRequest: Type.Boolean(),
})
export type MonitorCreatedAnswer = Static<typeof MonitorCreatedAnswer>

export const ListMonitors = Type.Object({ projectId: Id })
export type ListMonitors = Static<typeof ListMonitors>

export const ListMonitorsAnswer = Type.Object({ monitors: Type.Array(MonitorView) })
export type ListMonitorsAnswer = Static<typeof ListMonitorsAnswer>

export const ChangeMonitor = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  schedule: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  webhookUrl: Type.Optional(Type.String()),
})
export type ChangeMonitor = Static<typeof ChangeMonitor>

export const ChangeMonitorAnswer = Type.Object({ monitor: orNull(MonitorView) })
export type ChangeMonitorAnswer = Static<typeof ChangeMonitorAnswer>

export const DeleteMonitor = Type.Object({ projectId: Id, monitorId: Type.Integer() })
export type DeleteMonitor = Static<typeof DeleteMonitor>

export const DeleteMonitorAnswer = Type.Object({ deleted: Type.Boolean() })
export type DeleteMonitorAnswer = Static<typeof DeleteMonitorAnswer>
