/** Questions and commands to scheduler. A monitor of another project is one that does not exist. */
import { type Static, Type } from 'typebox'
import { MonitorView } from '../http/crons.ts'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import { RunSettings } from '../run-settings.ts'
import { rpc } from './rpc.ts'
import { RunStartedAnswer, StartRefusal } from './runs.ts'

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

/** What has this key created within the last day? */
export const FindCreated = Type.Object({
  projectId: Id,
  idempotencyKey: Type.String(),
  /** As with `CreateMonitor`; null where the request has a body that is none. */
  fingerprint: orNull(Type.String()),
})
export type FindCreated = Static<typeof FindCreated>

export const FindCreatedAnswer = Type.Object({ created: orNull(MonitorCreatedAnswer) })
export type FindCreatedAnswer = Static<typeof FindCreatedAnswer>

export const ListMonitors = Type.Object({ projectId: Id })
export type ListMonitors = Static<typeof ListMonitors>

export const ListMonitorsAnswer = Type.Object({ monitors: Type.Array(MonitorView) })
export type ListMonitorsAnswer = Static<typeof ListMonitorsAnswer>

export const GetMonitor = Type.Object({ projectId: Id, monitorId: Type.Integer() })
export type GetMonitor = Static<typeof GetMonitor>

export const GetMonitorAnswer = Type.Object({ monitor: orNull(MonitorView) })
export type GetMonitorAnswer = Static<typeof GetMonitorAnswer>

export const ListTicks = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  limit: Type.Integer({ minimum: 1, maximum: 1001 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ListTicks = Static<typeof ListTicks>

/** A due minute, or a moment at which somebody asked for a run, and what became of it; null while nothing has. */
export const TickView = Type.Object({
  minute: Timestamp,
  asked: Type.Boolean(),
  outcome: orNull(Type.Union([Type.Literal('fired'), Type.Literal('skipped')])),
  /** Why it was skipped. */
  reason: orNull(Type.String()),
  runId: orNull(Id),
  /** How its run ended, as far as scheduler has heard. */
  runStatus: orNull(Type.String()),
})
export type TickView = Static<typeof TickView>

/** The latest first; null where the project has no such monitor. */
export const ListTicksAnswer = Type.Object({ ticks: orNull(Type.Array(TickView)) })
export type ListTicksAnswer = Static<typeof ListTicksAnswer>

/** Starts a run now, beside the due minutes; the same key within a day gives the same run. */
export const RunMonitor = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  idempotencyKey: orNull(Type.String()),
  /** Set where only the run of this key may be returned: who would get another one is refused so. */
  refusal: Type.Optional(StartRefusal),
})
export type RunMonitor = Static<typeof RunMonitor>

/** Null where the project has no such monitor. */
export const RunMonitorAnswer = Type.Object({ started: orNull(RunStartedAnswer) })
export type RunMonitorAnswer = Static<typeof RunMonitorAnswer>

export const ChangeMonitor = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  schedule: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  /** Null: the monitor has no next minute. */
  webhookUrl: Type.Optional(orNull(Type.String())),
})
export type ChangeMonitor = Static<typeof ChangeMonitor>

export const ChangeMonitorAnswer = Type.Object({ monitor: orNull(MonitorView) })
export type ChangeMonitorAnswer = Static<typeof ChangeMonitorAnswer>

export const DeleteMonitor = Type.Object({ projectId: Id, monitorId: Type.Integer() })
export type DeleteMonitor = Static<typeof DeleteMonitor>

export const DeleteMonitorAnswer = Type.Object({ deleted: Type.Boolean() })
export type DeleteMonitorAnswer = Static<typeof DeleteMonitorAnswer>

export const createMonitor = rpc({
  subject: 'ask.monitors.create',
  request: CreateMonitor,
  response: MonitorCreatedAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const findCreated = rpc({
  subject: 'ask.monitors.find-created',
  request: FindCreated,
  response: FindCreatedAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const listMonitors = rpc({
  subject: 'ask.monitors.list',
  request: ListMonitors,
  response: ListMonitorsAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const getMonitor = rpc({
  subject: 'ask.monitors.get',
  request: GetMonitor,
  response: GetMonitorAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const listTicks = rpc({
  subject: 'ask.monitors.ticks',
  request: ListTicks,
  response: ListTicksAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const runMonitor = rpc({
  subject: 'ask.monitors.run',
  request: RunMonitor,
  response: RunMonitorAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const changeMonitor = rpc({
  subject: 'ask.monitors.change',
  request: ChangeMonitor,
  response: ChangeMonitorAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const deleteMonitor = rpc({
  subject: 'ask.monitors.delete',
  request: DeleteMonitor,
  response: DeleteMonitorAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})
