/**
 * Selects the due minutes of monitors and stores their outcomes. Any number of schedulers share them: a scheduler locks
 * the monitor that it fires, and Postgres releases the locks of a scheduler that dies.
 */
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import type { Monitor } from '../domain/monitor.ts'
import { type Outcome, pauseAfter, settled, type Tick } from '../domain/tick.ts'
import { type EarlierRuns, earlierRuns } from './earlier-runs.ts'
import { columns, enqueueEvent, monitorOf, save } from './monitor-rows.ts'
import { close, tickColumns, tickOf } from './tick-rows.ts'

type Act = (monitor: Monitor, earlier: EarlierRuns) => Promise<Outcome>

export type Ticks = {
  /** Records the tick that has been due longest, before its run is started, and returns it; null when none is due. */
  begin(now: number): Promise<Tick | null>
  /**
   * Locks the monitor and stores the outcome that `act` returns. Returns the id of the event's row in the outbox; null
   * when another scheduler holds the lock or the tick has an outcome. When `act` throws, the tick is due again later.
   */
  settle(tick: Tick, now: number, act: Act): Promise<number | null>
}

/** After this time Postgres releases the lock of a scheduler that hangs. */
export const holdLimit = '30s'

/**
 * SQL condition: no requested run of the monitor is about to be started. While a run is, the due minutes of the monitor
 * wait.
 */
const hasNoOpenRequest = `not exists (
  select from scheduler.tick where tick.monitor_id = monitor.id and asked and outcome is null)`

export function ticks({ pool, transaction }: Database): Ticks {
  return {
    async begin(now) {
      const { rows } = await pool.query(
        `with due as (
           select id, next_minute from scheduler.monitor
           where next_fires_at <= $1 and try_after <= $1 and ${hasNoOpenRequest}
           order by next_fires_at limit 1
           for no key update skip locked
         )
         insert into scheduler.tick (monitor_id, minute, begun_at) select id, next_minute, $1 from due
         on conflict (monitor_id, minute) do update set attempts = tick.attempts + 1
         returning ${tickColumns}`,
        [new Date(now)],
      )
      return rows[0] ? tickOf(rows[0]) : null
    },

    async settle(tick, now, act) {
      try {
        return await transaction(client => hold(client, tick, now, act))
      } catch (error) {
        await pool.query(`update scheduler.monitor set try_after = $3 where id = $1 and next_minute = $2`, [
          tick.monitorId,
          new Date(tick.minute),
          new Date(now + pauseAfter(tick.attempts)),
        ])
        throw error
      }
    },
  }
}

async function hold(client: PoolClient, tick: Tick, now: number, act: Act): Promise<number | null> {
  await client.query(`set local idle_in_transaction_session_timeout = '${holdLimit}'`)
  const { rows } = await client.query(
    `select ${columns} from scheduler.monitor where id = $1 and next_minute = $2 and ${hasNoOpenRequest}
     for no key update skip locked`,
    [tick.monitorId, new Date(tick.minute)],
  )
  if (!rows[0]) return null
  const monitor = monitorOf(rows[0])
  return store(client, monitor, tick, await act(monitor, earlierRuns(client, monitor.id)), now)
}

async function store(
  client: PoolClient,
  before: Monitor,
  tick: Tick,
  outcome: Outcome,
  now: number,
): Promise<number | null> {
  const { monitor, event } = settled(before, tick, outcome, now)
  await save(client, monitor)
  if (event === null || outcome.type === 'known') return null
  await close(client, tick, outcome, now)
  return enqueueEvent(client, monitor.id, event, { at: now })
}
