/**
 * Stores the units that requests hold (have reserved) until they are billed or released. Units are granted under one
 * lock per project, so that two requests never get the same ones.
 */

import { dayOf } from '@tidemark/contracts/calendar'
import { textOf } from '@tidemark/contracts/plain-text'
import type { ReserveUnits } from '@tidemark/contracts/rpc/usage'
import { nameOfPart } from '@tidemark/contracts/served'
import type { LedgerKind } from '@tidemark/contracts/usage'
import type { Pool, PoolClient } from 'pg'
import type { Grant, Reason, Standing } from '../domain/granting.ts'
import { freeToday } from './free-results.ts'
import { heldByRuns } from './holds.ts'

type Request = Pick<ReserveUnits, 'projectId' | 'requestId' | 'kind'>
type Row = Record<keyof Standing, number> & { granted: number | null; reason: Reason }

const lockOfUnits = 0x756e
const keptMs = 15 * 60_000
const sweptAtOnce = 1_000

/** Locks the project: until the transaction ends, no other request or run is granted units of it. */
export async function lockProject(client: PoolClient, projectId: number): Promise<void> {
  await client.query(`select pg_advisory_xact_lock($1, $2)`, [lockOfUnits, projectId % 2 ** 31])
}

/**
 * Reads spent and held units in one statement. A unit that is being billed moves from held to spent, and one snapshot
 * contains it exactly once.
 */
const selectStanding = `
  select counted.today, counted.month, ${freeToday} as free, held.units as held, own.units as granted, own.reason
  from (
    select coalesce(sum(units) filter (where day = $4::date), 0)::bigint as today,
      coalesce(sum(units), 0)::bigint as month
    from (
      select day, case $3 when 'page' then pages else cloud_pages end as units from ledger.counter
      where project_id = $1 and day >= date_trunc('month', $4::date)
        and day < date_trunc('month', $4::date) + interval '1 month'
    ) as spent
  ) as counted
  cross join (
    select ((${heldByRuns}) + coalesce(sum(units), 0))::bigint as units
    from ledger.reservation where project_id = $1 and kind = $3
  ) as held
  left join ledger.reservation as own on own.project_id = $1 and own.request_id = $2 and own.kind = $3`

/** Returns the units that the project has spent and holds, and the earlier grant of the request. `now` in ms since 1970. */
export async function readStanding(
  client: PoolClient,
  { projectId, requestId, kind }: Request,
  now: number,
): Promise<{ standing: Standing; before: Grant | null }> {
  const values = [projectId, requestId, kind, dayOf(now)]
  const { rows } = await client.query<Row>(selectStanding, values)
  const { today = 0, month = 0, held = 0, free = 0, granted = null, reason = null } = rows[0] ?? {}
  const before = granted === null ? null : { granted: Number(granted), reason }
  const standing = { today: Number(today), month: Number(month), held: Number(held), free: Number(free) }
  return { standing, before }
}

/** Stores a grant until the request is billed. The grant of a request that never ends expires after 15 minutes. */
export async function keep(
  client: PoolClient,
  { projectId, requestId, kind }: Omit<Request, 'kind'> & { kind: LedgerKind },
  { granted, reason }: Grant,
  now: number,
): Promise<void> {
  await client.query(
    `insert into ledger.reservation (project_id, request_id, kind, units, reason, expires_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (project_id, request_id, kind) do update
     set units = excluded.units, reason = excluded.reason, expires_at = excluded.expires_at`,
    [projectId, requestId, kind, granted, reason, new Date(now + keptMs)],
  )
}

/** Deletes the reservations of requests or of their parts. Requests without a reservation are ignored. */
export async function drop(
  client: Pool | PoolClient,
  requests: readonly (Omit<Request, 'kind'> & { part?: number | undefined })[],
): Promise<void> {
  if (requests.length === 0) return
  await client.query(
    `delete from ledger.reservation using unnest($1::bigint[], $2::text[]) as done (project_id, request_id)
     where reservation.project_id = done.project_id and reservation.request_id = done.request_id`,
    [requests.map(({ projectId }) => projectId), requests.map(request => textOf(nameOfPart(request)))],
  )
}

/**
 * Deletes reservations that had expired by `now` (ms since 1970), 1000 at a time, and skips rows that another process
 * has locked. The caller has waited until all requests that were served by then are recorded.
 */
export async function sweep(pool: Pool, now: number): Promise<void> {
  for (let removed = sweptAtOnce; removed === sweptAtOnce; ) {
    const { rowCount } = await pool.query(
      `delete from ledger.reservation where (project_id, request_id, kind) in (
         select project_id, request_id, kind from ledger.reservation where expires_at <= $1
         limit ${sweptAtOnce} for update skip locked
       )`,
      [new Date(now)],
    )
    removed = rowCount ?? 0
  }
}
