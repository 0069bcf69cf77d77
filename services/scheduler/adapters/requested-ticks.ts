/**
 * Records the runs of a monitor that clients request in addition to its schedule. Each request is recorded as a tick
 * before its run is started, so that another scheduler finishes the tick if this scheduler dies. A monitor has at most
 * one such tick without an outcome.
 */
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { RunMonitor } from '@tidemark/contracts/rpc/monitors'
import type { RunStartedResponse } from '@tidemark/contracts/rpc/runs'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { Monitor } from '../domain/monitor.ts'
import { ranOnRequest, type Tick } from '../domain/tick.ts'
import { type EarlierRuns, earlierRuns } from './earlier-runs.ts'
import { columns, enqueueEvent, monitorOf, save } from './monitor-rows.ts'
import { close, isFiring, tickColumns, tickOf } from './tick-rows.ts'
import { holdLimit } from './ticks.ts'

export type SettledRequest =
  | { type: 'started'; started: RunStartedResponse; outboxId: number | null }
  | { type: 'refused'; refusal: Refusal }
  /** Another request got a refusal and deleted the tick of both, or the monitor was deleted. */
  | { type: 'missing' }

export type RequestedTick = Tick & {
  /** Another request recorded the tick within the last 15 seconds and may still start its run. */
  isForeign: boolean
  /** An earlier request with the same key recorded the tick. */
  isRepeated: boolean
}

/** `previousRunId` is the run with which the started one is compared. */
export type StartedRun = { started: RunStartedResponse; previousRunId: number | null }

type Act = (monitor: Monitor, tick: Tick | null, earlier: EarlierRuns) => Promise<StartedRun | Refusal | null>

export type RequestedTicks = {
  /**
   * Returns the tick of this key, else the tick without an outcome, else a new one; null when the project has no such
   * monitor. Times are in ms since 1970. Rejects with `unavailable` while a due minute is being fired. If the request
   * contains a `refusal`, rejects with it unless the tick of this key exists.
   */
  record(request: RunMonitor, now: number): Promise<RequestedTick | null>
  /**
   * Locks the monitor and stores the result of `act`, which gets no tick if another request deleted it meanwhile. When
   * `act` throws, the tick stays as it is, and a scheduler checks it later.
   */
  settle(tick: Tick, now: number, act: Act): Promise<SettledRequest>
}

/** Milliseconds after which the request that recorded a tick has ended, or its scheduler has died. */
const abandonedAfterMs = 15_000
/** Lifetime of a key in milliseconds. The coordinator keeps the key of the tick's run for the same time. */
const keyMs = 24 * 3_600_000

export const requestedTicks = ({ transaction }: Pick<Database, 'transaction'>): RequestedTicks => ({
  record: (request, now) => transaction(client => record(client, request, now)),

  settle: (tick, now, act) =>
    transaction(async client => {
      await client.query(`set local idle_in_transaction_session_timeout = '${holdLimit}'`)
      const locked = await lock(client, tick)
      if (locked === null) return { type: 'missing' }
      const { monitor, tick: current } = locked
      const result = await act(monitor, current, earlierRuns(client, monitor.id))
      if (result instanceof Refusal) return withdraw(client, current, result)
      if (result === null || current === null) return { type: 'missing' }
      const outboxId = current.isSettled ? null : await store(client, monitor, current, result, now)
      return { type: 'started', started: result.started, outboxId }
    }),
})

async function record(
  client: PoolClient,
  { projectId, monitorId, idempotencyKey, refusal }: RunMonitor,
  now: number,
): Promise<RequestedTick | null> {
  const { rowCount } = await client.query(
    `select from scheduler.monitor where id = $1 and project_id = $2 for no key update`,
    [monitorId, projectId],
  )
  if (rowCount === 0) return null
  const earlier = await client.query(
    `select ${tickColumns}, coalesce(asked_key = $2, false) as is_own from scheduler.tick
     where monitor_id = $1 and asked and (outcome is null or (asked_key = $2 and minute > $3))
     order by asked_key = $2 desc nulls last limit 1`,
    [monitorId, idempotencyKey, new Date(now - keyMs)],
  )
  const [row] = earlier.rows
  // The request that recorded the tick of this key was allowed to start a run.
  if (refusal && !row?.is_own) throw new Refusal(refusal)
  if (row) {
    const isAbandoned = row.begun_at.getTime() < now - abandonedAfterMs
    return { ...tickOf(row), isForeign: !row.is_own && !isAbandoned, isRepeated: row.is_own }
  }
  if (await isFiring(client, monitorId)) throw refuse('unavailable', { retryAfterSeconds: 2 })
  const { rows } = await insert(client, monitorId, idempotencyKey, now)
  return { ...tickOf(rows[0]), isForeign: false, isRepeated: false }
}

/**
 * Inserts a requested tick. Its time is never a whole minute, because a due tick could have the same time, and it is
 * later than the times of all other requested ticks.
 */
const insert = (client: PoolClient, monitorId: number, key: string | null, now: number) =>
  client.query(
    `insert into scheduler.tick (monitor_id, minute, begun_at, asked, asked_key, look_at)
     select $1, case when moment = date_trunc('minute', moment) then moment + interval '1 ms' else moment end,
       $2, true, $3, $4
     from (select greatest($2::timestamptz, max(minute) + interval '1 ms') as moment
           from scheduler.tick where monitor_id = $1 and asked) as free
     returning ${tickColumns}`,
    [monitorId, new Date(now), key, new Date(now + abandonedAfterMs)],
  )

type Locked = { monitor: Monitor; tick: Tick | null }

async function lock(client: PoolClient, { monitorId, minute }: Tick): Promise<Locked | null> {
  const { rows: monitors } = await client.query(
    `select ${columns} from scheduler.monitor where id = $1 for no key update`,
    [monitorId],
  )
  const { rows: ticks } = await client.query(
    `select ${tickColumns} from scheduler.tick where monitor_id = $1 and minute = $2`,
    [monitorId, new Date(minute)],
  )
  return monitors[0] ? { monitor: monitorOf(monitors[0]), tick: ticks[0] ? tickOf(ticks[0]) : null } : null
}

/** Deletes the tick of a refused request, unless it has an outcome. */
async function withdraw(client: PoolClient, tick: Tick | null, refusal: Refusal): Promise<SettledRequest> {
  if (tick !== null && !tick.isSettled) {
    const key = [tick.monitorId, new Date(tick.minute)]
    await client.query(`delete from scheduler.tick where monitor_id = $1 and minute = $2`, key)
  }
  return { type: 'refused', refusal }
}

async function store(
  client: PoolClient,
  before: Monitor,
  tick: Tick,
  { started, previousRunId }: StartedRun,
  now: number,
): Promise<number> {
  const ran = { runId: started.id, previousRunId }
  const { monitor, event } = ranOnRequest(before, tick, ran, now)
  await save(client, monitor)
  await close(client, tick, { type: 'fired', ...ran }, now)
  return enqueueEvent(client, monitor.id, event, { at: now })
}
