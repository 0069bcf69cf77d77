/**
 * Runs that somebody asked a monitor for. Each is noted as a tick before anything is started for it, so that a
 * scheduler which dies on the way leaves it to the others; a monitor has one at a time.
 */
import { Refusal, refuse } from '@tidemark/bus/refusal'
import type { RunMonitor } from '@tidemark/contracts/rpc/monitors'
import type { RunStartedAnswer } from '@tidemark/contracts/rpc/runs'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { Monitor } from '../domain/monitor.ts'
import { ranWhenAsked, type Tick } from '../domain/tick.ts'
import { columns, monitorOf, save, tell } from './monitor-rows.ts'
import { close, isFiring, tickColumns, tickOf } from './tick-rows.ts'
import { holdLimit } from './ticks.ts'

export type SettledAsked =
  | { type: 'started'; started: RunStartedAnswer; outboxId: number | null }
  | { type: 'refused'; refusal: Refusal }
  /** Somebody else was refused what both were after; or the monitor was deleted. */
  | { type: 'gone' }

/** `isForeign` where another request has noted it, which may still be at it. */
export type AskedTick = Tick & { isForeign: boolean }

type Act = (monitor: Monitor, tick: Tick | null) => Promise<RunStartedAnswer | Refusal | null>

export type AskedTicks = {
  /**
   * The tick of this key, or one that is still being settled, else a new one, all times in ms since 1970; null when
   * the project has no such monitor. Refuses (`unavailable`) while a due minute is being acted upon, and as it was asked
   * to in place of all but the tick of this key.
   */
  note(asked: RunMonitor, now: number): Promise<AskedTick | null>
  /**
   * Locks the monitor and stores what `act` says; that gets no tick where somebody else was refused it meanwhile. When
   * it throws, the tick stays as it is, to be looked at later.
   */
  settle(tick: Tick, now: number, act: Act): Promise<SettledAsked>
}

/** Who has noted one is done with it after this, or dead. */
const leftAfterMs = 15_000
/** As long as the coordinator keeps the key that is made from the tick. */
const keyMs = 24 * 3_600_000

export const askedTicks = ({ transaction }: Pick<Database, 'transaction'>): AskedTicks => ({
  note: (asked, now) => transaction(client => note(client, asked, now)),

  settle: (tick, now, act) =>
    transaction(async client => {
      await client.query(`set local idle_in_transaction_session_timeout = '${holdLimit}'`)
      const held = await hold(client, tick)
      if (held === null) return { type: 'gone' }
      const { monitor, tick: mine } = held
      const result = await act(monitor, mine)
      if (result instanceof Refusal) return withdraw(client, mine, result)
      if (result === null || mine === null) return { type: 'gone' }
      const outboxId = mine.isSettled ? null : await store(client, monitor, mine, result, now)
      return { type: 'started', started: result, outboxId }
    }),
})

async function note(
  client: PoolClient,
  { projectId, monitorId, idempotencyKey, refusal }: RunMonitor,
  now: number,
): Promise<AskedTick | null> {
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
  // Whoever noted the tick of this key had not to be refused.
  if (refusal && !row?.is_own) throw new Refusal(refusal)
  if (row) {
    const isLeft = row.begun_at.getTime() < now - leftAfterMs
    return { ...tickOf(row), isForeign: !row.is_own && !isLeft }
  }
  if (await isFiring(client, monitorId)) throw refuse('unavailable', { retryAfterSeconds: 2 })
  const { rows } = await insert(client, monitorId, idempotencyKey, now)
  return { ...tickOf(rows[0]), isForeign: false }
}

/** Never at a whole minute, which might be due, nor where another one is. */
const insert = (client: PoolClient, monitorId: number, key: string | null, now: number) =>
  client.query(
    `insert into scheduler.tick (monitor_id, minute, begun_at, asked, asked_key, look_at)
     select $1, case when moment = date_trunc('minute', moment) then moment + interval '1 ms' else moment end,
       $2, true, $3, $4
     from (select greatest($2::timestamptz, max(minute) + interval '1 ms') as moment
           from scheduler.tick where monitor_id = $1 and asked) as free
     returning ${tickColumns}`,
    [monitorId, new Date(now), key, new Date(now + leftAfterMs)],
  )

type Held = { monitor: Monitor; tick: Tick | null }

async function hold(client: PoolClient, { monitorId, minute }: Tick): Promise<Held | null> {
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

/** What was refused is no tick. */
async function withdraw(client: PoolClient, tick: Tick | null, refusal: Refusal): Promise<SettledAsked> {
  if (tick !== null && !tick.isSettled) {
    const which = [tick.monitorId, new Date(tick.minute)]
    await client.query(`delete from scheduler.tick where monitor_id = $1 and minute = $2`, which)
  }
  return { type: 'refused', refusal }
}

async function store(
  client: PoolClient,
  before: Monitor,
  tick: Tick,
  { id: runId }: RunStartedAnswer,
  now: number,
): Promise<number> {
  const { monitor, event } = ranWhenAsked(before, tick, runId, now)
  await save(client, monitor)
  await close(client, tick, { type: 'fired', runId }, now)
  return tell(client, monitor.id, event, { at: now })
}
