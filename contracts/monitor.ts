/** A monitor: a crawl that starts again at each due minute. One subject per monitor, written by scheduler only. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull, Tier, Timestamp } from './primitives.ts'
import { MonitorIntent, RunSettings, WebhookChoice } from './run-settings.ts'

export const MonitorEvent = Type.Union([
  fact('MonitorCreated', {
    monitorId: Id,
    projectId: Id,
    tier: Tier,
    url: Type.String(),
    /** Five fields of crontab(5), in the local time of `timezone`. */
    schedule: Type.String(),
    /** IANA time zone. Default: UTC. */
    timezone: Type.Optional(Type.String()),
    settings: RunSettings,
  }),
  fact('MonitorChanged', {
    schedule: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean()),
    /** Null: the monitor has no next minute. */
    webhookUrl: Type.Optional(orNull(Type.String())),
    webhookChoice: Type.Optional(WebhookChoice),
    /** Null: it is removed. */
    intent: Type.Optional(orNull(MonitorIntent)),
  }),
  /** A due minute started a run. */
  fact('MonitorFired', { minute: Timestamp, runId: Id, previousRunId: orNull(Id) }),
  /** A client requested a run outside the due minutes. `at` is the time of the request, never a whole minute. */
  fact('MonitorRunAsked', { at: Timestamp, runId: Id, previousRunId: orNull(Id) }),
  /** A due minute started no run. */
  fact('MonitorSkipped', { minute: Timestamp, reason: Type.String() }),
  fact('MonitorDeleted', {}),
])
export type MonitorEvent = Static<typeof MonitorEvent>

export const MonitorCommit = commitOf(MonitorEvent)
export type MonitorCommit = Static<typeof MonitorCommit>
