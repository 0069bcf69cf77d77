/** Requests and commands to scheduler. Monitors of other projects do not exist for the caller. */
import { type Static, Type } from 'typebox'
import { MonitorView } from '../http/crons.ts'
import { Caps } from '../limits.ts'
import { Id, oneOf, orNull, Tier, Timestamp } from '../primitives.ts'
import { RunSettings, WebhookTarget } from '../run-settings.ts'
import { rpc } from './rpc.ts'
import { FindStarted, RunStartedResponse, StartRefusal } from './runs.ts'

export const CreateMonitor = Type.Object({
  projectId: Id,
  tier: Tier,
  url: Type.String(),
  schedule: Type.String(),
  /** IANA time zone of the schedule. Default: UTC. */
  timezone: Type.Optional(Type.String()),
  settings: RunSettings,
  /** Fingerprint of the settings that determine the pages, as in `StartRun`. A change of the monitor keeps it, because it does not affect the pages. */
  likeness: Type.Optional(Type.String()),
  idempotencyKey: orNull(Type.String()),
  /** SHA-256 of the request body, which distinguishes a replay from another request with the same key. */
  fingerprint: Type.String(),
})
export type CreateMonitor = Static<typeof CreateMonitor>

export const MonitorCreatedResponse = Type.Object({
  monitor: MonitorView,
  replayed: Type.Boolean(),
  sameRequest: Type.Boolean(),
})
export type MonitorCreatedResponse = Static<typeof MonitorCreatedResponse>

/** Checks the schedule of a monitor that is not created. Refused as `createMonitor` refuses it. */
export const CheckSchedule = Type.Pick(CreateMonitor, ['schedule', 'timezone'])
export type CheckSchedule = Static<typeof CheckSchedule>

const CheckScheduleAnswer = Type.Object({})

/** Reads the monitor that this key created within the last day. The request is the same as for runs. */
export const FindCreated = FindStarted
export type FindCreated = FindStarted

export const FindCreatedResponse = Type.Object({ created: orNull(MonitorCreatedResponse) })
export type FindCreatedResponse = Static<typeof FindCreatedResponse>

export const ListMonitors = Type.Object({ projectId: Id })
export type ListMonitors = Static<typeof ListMonitors>

export const ListMonitorsResponse = Type.Object({ monitors: Type.Array(MonitorView) })
export type ListMonitorsResponse = Static<typeof ListMonitorsResponse>

export const GetMonitor = Type.Object({ projectId: Id, monitorId: Type.Integer() })
export type GetMonitor = Static<typeof GetMonitor>

export const GetMonitorResponse = Type.Object({ monitor: orNull(MonitorView) })
export type GetMonitorResponse = Static<typeof GetMonitorResponse>

export const ListTicks = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  limit: Type.Integer({ minimum: 1, maximum: 1001 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ListTicks = Static<typeof ListTicks>

/** A scheduled minute, or the time of a manual request, and its outcome. `outcome` is null until one is known. */
export const TickView = Type.Object({
  minute: Timestamp,
  asked: Type.Boolean(),
  outcome: orNull(oneOf(['fired', 'skipped'])),
  /** Reason why it was skipped. */
  reason: orNull(Type.String()),
  runId: orNull(Id),
  /** Final status of its run, as far as scheduler has received it. */
  runStatus: orNull(Type.String()),
})
export type TickView = Static<typeof TickView>

/** Newest first; null: the project has no such monitor. */
export const ListTicksResponse = Type.Object({ ticks: orNull(Type.Array(TickView)) })
export type ListTicksResponse = Static<typeof ListTicksResponse>

/** Starts a run now, beside the scheduled minutes. The same key within a day returns the same run. */
export const RunMonitor = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  idempotencyKey: orNull(Type.String()),
  /** Caps of the calling key. 409 `narrowed_key`: they are below those of the key that created the monitor. */
  keyCaps: Type.Optional(Caps),
  /** The error for a request that would start a new run. A run that this key has started already is still returned. */
  refusal: Type.Optional(StartRefusal),
})
export type RunMonitor = Static<typeof RunMonitor>

/** Null: the project has no such monitor. */
export const RunMonitorResponse = Type.Object({ started: orNull(RunStartedResponse) })
export type RunMonitorResponse = Static<typeof RunMonitorResponse>

export const ChangeMonitor = Type.Object({
  projectId: Id,
  monitorId: Type.Integer(),
  schedule: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  /** Caps of the calling key. 409 `narrowed_key`: it may not change when the monitor runs (`RunMonitor`). */
  keyCaps: Type.Optional(Caps),
  /** Null removes the webhook. */
  webhookUrl: Type.Optional(orNull(Type.String())),
  /** Refused without a webhook, like `onlyChanged`. */
  webhookEvents: Type.Optional(Type.Pick(WebhookTarget, ['events', 'notices'])),
  onlyChanged: Type.Optional(Type.Boolean()),
  /** Null removes it. */
  intent: Type.Optional(orNull(Type.String())),
  /** Refused without an intent. */
  onlyMatching: Type.Optional(Type.Boolean()),
})
export type ChangeMonitor = Static<typeof ChangeMonitor>

export const ChangeMonitorResponse = Type.Object({ monitor: orNull(MonitorView) })
export type ChangeMonitorResponse = Static<typeof ChangeMonitorResponse>

export const DeleteMonitor = Type.Object({ projectId: Id, monitorId: Type.Integer() })
export type DeleteMonitor = Static<typeof DeleteMonitor>

export const DeleteMonitorResponse = Type.Object({ deleted: Type.Boolean() })
export type DeleteMonitorResponse = Static<typeof DeleteMonitorResponse>

export const createMonitor = rpc({
  subject: 'ask.monitors.create',
  request: CreateMonitor,
  response: MonitorCreatedResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const checkSchedule = rpc({
  subject: 'ask.monitors.check-schedule',
  request: CheckSchedule,
  response: CheckScheduleAnswer,
  callers: ['gateway'],
  server: 'scheduler',
})

export const findCreated = rpc({
  subject: 'ask.monitors.find-created',
  request: FindCreated,
  response: FindCreatedResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const listMonitors = rpc({
  subject: 'ask.monitors.list',
  request: ListMonitors,
  response: ListMonitorsResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const getMonitor = rpc({
  subject: 'ask.monitors.get',
  request: GetMonitor,
  response: GetMonitorResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const listTicks = rpc({
  subject: 'ask.monitors.ticks',
  request: ListTicks,
  response: ListTicksResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const runMonitor = rpc({
  subject: 'ask.monitors.run',
  request: RunMonitor,
  response: RunMonitorResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const changeMonitor = rpc({
  subject: 'ask.monitors.change',
  request: ChangeMonitor,
  response: ChangeMonitorResponse,
  callers: ['gateway'],
  server: 'scheduler',
})

export const deleteMonitor = rpc({
  subject: 'ask.monitors.delete',
  request: DeleteMonitor,
  response: DeleteMonitorResponse,
  callers: ['gateway'],
  server: 'scheduler',
})
