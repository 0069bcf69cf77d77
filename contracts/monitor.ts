/** A monitor: a crawl that is started again whenever its minute is due. One subject a monitor, written by scheduler alone. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { Id, orNull, Tier, Timestamp } from './primitives.ts'
import { RunSettings } from './run-settings.ts'

export const MonitorEvent = Type.Union([
  fact('MonitorCreated', {
    monitorId: Id,
    projectId: Id,
    tier: Tier,
    url: Type.String(),
    /** Five fields of crontab(5), in UTC. */
    schedule: Type.String(),
    settings: RunSettings,
  }),
  fact('MonitorChanged', {
    schedule: Type.Optional(Type.String()),
    enabled: Type.Optional(Type.Boolean()),
    /** Null: none any more. */
    webhookUrl: Type.Optional(orNull(Type.String())),
  }),
  /** A due minute started a run. */
  fact('MonitorFired', { minute: Timestamp, runId: Id, previousRunId: orNull(Id) }),
  /** Somebody asked for a run beside the due minutes; `at` is when, and never a whole minute. */
  fact('MonitorRunAsked', { at: Timestamp, runId: Id, previousRunId: orNull(Id) }),
  /** A due minute started none, and why. */
  fact('MonitorSkipped', { minute: Timestamp, reason: Type.String() }),
  fact('MonitorDeleted', {}),
])
export type MonitorEvent = Static<typeof MonitorEvent>

export const MonitorCommit = commitOf(MonitorEvent)
export type MonitorCommit = Static<typeof MonitorCommit>
