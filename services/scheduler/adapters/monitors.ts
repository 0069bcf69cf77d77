/**
 * Stores monitors in Postgres. The cap and the idempotency key are checked under one lock per project. Every change is
 * stored together with its event.
 */
import { refuse } from '@tidemark/bus/refusal'
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import type { CreateMonitor } from '@tidemark/contracts/rpc/monitors'
import { monitorCaps } from '@tidemark/contracts/tiers'
import type { Database } from '@tidemark/db/database'
import type { PoolClient } from 'pg'
import { nextDue } from '../domain/due.ts'
import { created, type Monitor } from '../domain/monitor.ts'
import { utc } from '../domain/zone.ts'
import { columns, columnsOfList, enqueueEvent, monitorOf, save } from './monitor-rows.ts'
import { isFiring } from './tick-rows.ts'

export type Earlier =
  | { type: 'replayed'; monitor: Monitor; sameRequest: boolean }
  /** The monitor that the key created was deleted. */
  | { type: 'deleted' }

export type Created =
  | { type: 'created'; monitor: Monitor; outboxId: number }
  | Earlier
  | { type: 'full'; cap: number }

type Fingerprinted = Pick<CreateMonitor, 'projectId' | 'fingerprint'>

export type Changed = { monitor: Monitor; outboxId: number | null }
type Decide = (monitor: Monitor) => { monitor: Monitor; event: MonitorEvent } | null

export type Monitors = {
  create(wanted: CreateMonitor, now: number, trace: string | undefined): Promise<Created>
  /** Returns the monitor that a key created within the last 24 hours; null when the key created none. */
  earlier(request: Fingerprinted, key: string): Promise<Earlier | null>
  /** Returns the monitors of a project without the listed URLs of their settings. */
  list(projectId: number): Promise<Monitor[]>
  /** Returns null when the project has no such monitor. */
  find(projectId: number, monitorId: number): Promise<Monitor | null>
  /**
   * Stores the monitor that `decide` returns. Returns null when the project has no such monitor. Rejects with
   * `unavailable` when the change moves the due minute while its run is being started: that run would not be recorded,
   * and the next run could start at the same time.
   */
  change(projectId: number, monitorId: number, now: number, decide: Decide): Promise<Changed | null>
  /** Deletes a monitor. Returns the id of the event's row in the outbox; null when the project has no such monitor. */
  remove(projectId: number, monitorId: number, now: number): Promise<number | null>
  /** Deletes the idempotency keys that are older than 25 hours. A key is valid for 24 hours. */
  trimKeys(): Promise<void>
  /** Deletes all idempotency keys of a project. */
  forgetKeys(projectId: number): Promise<void>
}

const lockOfMonitors = 0x6d6f

export function monitors({ pool, transaction }: Database): Monitors {
  return {
    create: (wanted, now, trace) => transaction(client => create(client, wanted, now, trace)),

    earlier: (request, key) => findKey(pool, request, key),

    async list(projectId) {
      const { rows } = await pool.query(
        `select ${columnsOfList} from scheduler.monitor where project_id = $1 order by id`,
        [projectId],
      )
      return rows.map(monitorOf)
    },

    async find(projectId, monitorId) {
      const { rows } = await pool.query(
        `select ${columns} from scheduler.monitor where id = $1 and project_id = $2`,
        [monitorId, projectId],
      )
      return rows[0] ? monitorOf(rows[0]) : null
    },

    change: (projectId, monitorId, now, decide) =>
      transaction(async client => {
        const { rows } = await client.query(
          `select ${columns} from scheduler.monitor where id = $1 and project_id = $2 for no key update`,
          [monitorId, projectId],
        )
        if (!rows[0]) return null
        const monitor = monitorOf(rows[0])
        const decided = decide(monitor)
        if (decided === null) return { monitor, outboxId: null }
        const isMoved = decided.monitor.next?.minute !== monitor.next?.minute
        if (isMoved && (await isFiring(client, monitorId)))
          throw refuse('unavailable', { retryAfterSeconds: 2 })
        await save(client, decided.monitor)
        return {
          monitor: decided.monitor,
          outboxId: await enqueueEvent(client, monitorId, decided.event, { at: now }),
        }
      }),

    remove: (projectId, monitorId, now) =>
      transaction(async client => {
        const { rowCount } = await client.query(
          `delete from scheduler.monitor where id = $1 and project_id = $2`,
          [monitorId, projectId],
        )
        return rowCount === 0
          ? null
          : enqueueEvent(client, monitorId, { type: 'MonitorDeleted', data: {} }, { at: now })
      }),

    async trimKeys() {
      await pool.query(`delete from scheduler.idempotency_key where created_at < now() - interval '25 hours'`)
    },

    async forgetKeys(projectId) {
      await pool.query('delete from scheduler.idempotency_key where project_id = $1', [projectId])
    },
  }
}

async function create(
  client: PoolClient,
  wanted: CreateMonitor,
  now: number,
  trace: string | undefined,
): Promise<Created> {
  const { projectId, tier, idempotencyKey } = wanted
  await client.query(`select pg_advisory_xact_lock($1, $2)`, [lockOfMonitors, projectId % 2 ** 31])
  const earlier = idempotencyKey === null ? null : await findKey(client, wanted, idempotencyKey)
  if (earlier !== null) return earlier

  const cap = monitorCaps[tier]
  const count = `select count(*) as count from scheduler.monitor where project_id = $1`
  const { rows } = await client.query(count, [projectId])
  if (rows[0].count >= cap) return { type: 'full', cap }

  const monitor = await insert(client, wanted, now)
  if (idempotencyKey !== null) await keepKey(client, wanted, idempotencyKey, monitor.id)
  const outboxId = await enqueueEvent(client, monitor.id, created(monitor.id, wanted), { at: now, trace })
  return { type: 'created', monitor, outboxId }
}

async function insert(client: PoolClient, wanted: CreateMonitor, now: number): Promise<Monitor> {
  const { projectId, tier, url, schedule, timezone = utc, settings, likeness } = wanted
  const { rows } = await client.query(
    `insert into scheduler.monitor (project_id, tier, url, schedule, settings, created_at, timezone, likeness)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
    [projectId, tier, url, schedule, settings, new Date(now), timezone, likeness ?? null],
  )
  const monitor = monitorOf(rows[0])
  const due = { ...monitor, next: nextDue(monitor, now) }
  await save(client, due)
  return due
}

async function findKey(
  client: Pick<PoolClient, 'query'>,
  wanted: Fingerprinted,
  key: string,
): Promise<Earlier | null> {
  const { rows } = await client.query(
    `select monitor_id, fingerprint from scheduler.idempotency_key
     where project_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    [wanted.projectId, key],
  )
  if (!rows[0]) return null
  const { monitor_id: id, fingerprint } = rows[0]
  const found = await client.query(`select ${columns} from scheduler.monitor where id = $1`, [id])
  if (!found.rows[0]) return { type: 'deleted' }
  return {
    type: 'replayed',
    monitor: monitorOf(found.rows[0]),
    sameRequest: fingerprint === wanted.fingerprint,
  }
}

/** Stores the key of a new monitor, in place of an expired one. */
async function keepKey(client: PoolClient, wanted: CreateMonitor, key: string, id: number): Promise<void> {
  await client.query(
    `insert into scheduler.idempotency_key (project_id, key, monitor_id, fingerprint, created_at)
     values ($1, $2, $3, $4, now())
     on conflict (project_id, key) do update
     set monitor_id = excluded.monitor_id, fingerprint = excluded.fingerprint, created_at = excluded.created_at`,
    [wanted.projectId, key, id, wanted.fingerprint],
  )
}
