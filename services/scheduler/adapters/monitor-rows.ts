/** Reads rows of monitors as objects of the domain, and writes them back together with their events. */
import { encodeJson } from '@tidemark/bus/codec'
import type { MonitorCommit, MonitorEvent } from '@tidemark/contracts/monitor'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import type { Monitor } from '../domain/monitor.ts'

const schema = 'scheduler'

const columnsWith = (settings: string) =>
  `id, project_id, tier, url, schedule, timezone, enabled, ${settings}, likeness, last_fired_at, last_run_id, last_status,
  consecutive_failures, next_minute, next_fires_at`

/** The columns that `monitorOf` reads. */
export const columns = columnsWith('settings')
/** These columns without the listed URLs, of which each monitor may have a megabyte. */
export const columnsOfList = columnsWith(`settings - 'urls' as settings`)

type MonitorRow = {
  id: number
  project_id: number
  tier: Monitor['tier']
  url: string
  schedule: string
  timezone: string
  enabled: boolean
  settings: Monitor['settings']
  likeness: string | null
  last_fired_at: Date | null
  last_run_id: number | null
  last_status: string | null
  consecutive_failures: number
  next_minute: Date | null
  next_fires_at: Date | null
}

export const monitorOf = (row: MonitorRow): Monitor => ({
  id: row.id,
  projectId: row.project_id,
  tier: row.tier,
  url: row.url,
  schedule: row.schedule,
  timezone: row.timezone,
  enabled: row.enabled,
  settings: row.settings,
  likeness: row.likeness,
  lastFiredAt: row.last_fired_at?.getTime() ?? null,
  lastRunId: row.last_run_id,
  lastStatus: row.last_status,
  consecutiveFailures: row.consecutive_failures,
  next:
    row.next_minute && row.next_fires_at
      ? { minute: row.next_minute.getTime(), firesAt: row.next_fires_at.getTime() }
      : null,
})

/** Writes the columns that can change, except those that `recount` computes from the ticks of the monitor. */
export async function save(client: PoolClient, monitor: Monitor): Promise<void> {
  const { id, schedule, timezone, enabled, settings, lastFiredAt, lastRunId, next } = monitor
  await client.query(
    `update scheduler.monitor set schedule = $2, enabled = $3, settings = $4, last_fired_at = $5,
       last_run_id = $6, next_minute = $7, next_fires_at = $8, timezone = $9, try_after = '-infinity'
     where id = $1`,
    [
      id,
      schedule,
      enabled,
      settings,
      dateOf(lastFiredAt),
      lastRunId,
      dateOf(next?.minute),
      dateOf(next?.firesAt),
      timezone,
    ],
  )
}

/** Removes the earlier messages of the subject from a stream that allows it. */
const rollup = { 'Nats-Rollup': 'sub' }

/**
 * Stores an event for MONITORS in the outbox. The event of a deletion replaces all earlier ones of its monitor. Returns
 * the id of its row.
 */
export function enqueueEvent(
  client: PoolClient,
  monitorId: number,
  event: MonitorEvent,
  { at, trace }: { at: number; trace?: string | undefined },
): Promise<number> {
  const commit: MonitorCommit = {
    at: new Date(at).toISOString(),
    ...(trace !== undefined && { trace }),
    events: [event],
  }
  return enqueue(client, schema, {
    subject: subjects.monitor(monitorId),
    payload: encodeJson(commit),
    ...(event.type === 'MonitorDeleted' && { headers: rollup }),
  })
}

const dateOf = (ms: number | null | undefined) => (ms === null || ms === undefined ? null : new Date(ms))
