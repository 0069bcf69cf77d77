/** Reads rows of monitors as objects of the domain, and writes them back together with their events. */
import { encodeJson } from '@tidemark/bus/codec'
import type { MonitorCommit, MonitorEvent } from '@tidemark/contracts/monitor'
import { subjects } from '@tidemark/contracts/subjects'
import { enqueue } from '@tidemark/db/outbox'
import type { PoolClient } from 'pg'
import type { Monitor } from '../domain/monitor.ts'

const schema = 'scheduler'

const columnsWith = (settings: string) =>
  `id, project_id as "projectId", tier, url, schedule, timezone, enabled, ${settings}, likeness,
  last_fired_at as "lastFiredAt", last_run_id as "lastRunId", last_status as "lastStatus",
  consecutive_failures as "consecutiveFailures", next_minute as "nextMinute", next_fires_at as "nextFiresAt"`

/** The columns that `monitorOf` reads. */
export const columns = columnsWith('settings')
/** The same columns without the listed URLs of the settings, which may be a megabyte for each monitor. */
export const columnsOfList = columnsWith(`settings - 'urls' as settings`)

type MonitorRow = Omit<Monitor, 'lastFiredAt' | 'next'> & {
  lastFiredAt: Date | null
  nextMinute: Date | null
  nextFiresAt: Date | null
}

export const monitorOf = ({ lastFiredAt, nextMinute, nextFiresAt, ...monitor }: MonitorRow): Monitor => ({
  ...monitor,
  lastFiredAt: lastFiredAt?.getTime() ?? null,
  next: nextMinute && nextFiresAt ? { minute: nextMinute.getTime(), firesAt: nextFiresAt.getTime() } : null,
})

/** Writes the columns that can change, except those that `recount` computes from the ticks of the monitor. */
export async function save(client: PoolClient, monitor: Monitor): Promise<void> {
  const { id, schedule, timezone, enabled, settings, lastFiredAt, lastRunId, next } = monitor
  await client.query(
    `update scheduler.monitor set schedule = $2, timezone = $3, enabled = $4, settings = $5, last_run_id = $6,
       last_fired_at = $7, next_minute = $8, next_fires_at = $9, try_after = '-infinity'
     where id = $1`,
    [
      ...[id, schedule, timezone, enabled, settings, lastRunId],
      ...[lastFiredAt, next?.minute, next?.firesAt].map(dateOf),
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
