/**
 * Stores the units that runs hold (have reserved). Granted pages that are in the ledger count as spent, and the others
 * as held. An ended run holds only the units that are billed and not recorded yet. The end of a run is stored in its
 * own row, so that a late grant holds nothing.
 */
import type { HoldUnits } from '@tidemark/contracts/rpc/usage'
import type { UnitKind } from '@tidemark/contracts/usage'
import type { PoolClient } from 'pg'

/**
 * `isRead`: whether the ledger has read the first event of the run. `reopenings`: the number of reopenings of the run
 * that the ledger has read; null: unknown.
 */
export type Hold = { granted: number; hasEnded: boolean; isRead: boolean; reopenings: number | null }

/** Scalar subquery: the units of kind $3 that all runs of project $1 hold. */
export const heldByRuns = `
  select coalesce(sum(greatest(0, case $3
    when 'page' then coalesce(run.billable, hold.granted) - coalesce(billed_run.units, 0)
    else case when run.billable is null then hold.cloud_granted else run.cloud_billable end
      - coalesce(billed_run.cloud_units, 0)
    end)), 0)
  from ledger.hold left join ledger.run using (run_id) left join ledger.billed_run using (run_id)
  where hold.project_id = $1`

const columns = { page: 'granted', cloud_page: 'cloud_granted' } as const
const billables = { page: 'billable', cloud_page: 'cloud_billable' } as const

/** Returns the hold of a run. An ended run has at most the units that it has spent. */
export async function readHold(client: PoolClient, runId: number, kind: UnitKind): Promise<Hold> {
  const { rows } = await client.query<{
    granted: number | null
    billable: number | null
    is_read: boolean
    reopenings: number | null
  }>(
    `select (select ${columns[kind]} from ledger.hold where run_id = $1) as granted,
       (select ${billables[kind]} from ledger.run where run_id = $1 and billable is not null) as billable,
       exists (select from ledger.run where run_id = $1) as is_read,
       (select reopenings from ledger.run where run_id = $1) as reopenings`,
    [runId],
  )
  const { granted = null, billable = null, is_read: isRead = false, reopenings = null } = rows[0] ?? {}
  const hasEnded = billable !== null
  const max = hasEnded ? Number(billable) : Number.POSITIVE_INFINITY
  return { granted: Math.min(Number(granted ?? 0), max), hasEnded, isRead, reopenings }
}

export async function grantRun(
  client: PoolClient,
  { projectId, runId }: Pick<HoldUnits, 'projectId' | 'runId'>,
  kind: UnitKind,
  granted: number,
): Promise<void> {
  const column = columns[kind]
  await client.query(
    `insert into ledger.hold (run_id, project_id, granted, cloud_granted) values ($1, $2, $3, $4)
     on conflict (run_id) do update set ${column} = excluded.${column}`,
    [runId, projectId, kind === 'page' ? granted : 0, kind === 'page' ? 0 : granted],
  )
}

/** Stores the ends of known runs, with the number of their billed units, recorded or not. */
export async function storeEnds(
  client: PoolClient,
  runs: readonly { runId: number; billable: Readonly<Record<UnitKind, number>> }[],
): Promise<void> {
  if (runs.length === 0) return
  await client.query(
    `update ledger.run set billable = ended.billable, cloud_billable = ended.cloud_billable
     from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as ended (run_id, billable, cloud_billable)
     where run.run_id = ended.run_id`,
    [
      runs.map(({ runId }) => runId),
      runs.map(({ billable }) => billable.page),
      runs.map(({ billable }) => billable.cloud_page),
    ],
  )
}

/**
 * Lets ended runs spend units again. They hold the units that they have spent, because a grant is the total since the
 * start of the run. Other runs and requests could use the rest of their grant since their end.
 */
export async function reopenRuns(
  client: PoolClient,
  runs: readonly { runId: number; nth: number }[],
): Promise<void> {
  if (runs.length === 0) return
  const runIds = runs.map(({ runId }) => runId)
  await client.query(
    `insert into ledger.hold (run_id, project_id, granted, cloud_granted)
     select run_id, project_id, billable, cloud_billable from ledger.run
     where run_id = any($1) and billable is not null
     on conflict (run_id) do update set granted = excluded.granted, cloud_granted = excluded.cloud_granted`,
    [runIds],
  )
  await client.query(
    `update ledger.run set billable = null, cloud_billable = 0, reopenings = reopened.nth
     from unnest($1::bigint[], $2::integer[]) as reopened (run_id, nth) where run.run_id = reopened.run_id`,
    [runIds, runs.map(({ nth }) => nth)],
  )
}

/** Deletes up to 1000 holds of ended runs whose billed units are all recorded. */
export async function sweepHolds(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query(
    `delete from ledger.hold where run_id in (
       select hold.run_id from ledger.hold join ledger.run using (run_id) left join ledger.billed_run using (run_id)
       where billable <= coalesce(billed_run.units, 0) and cloud_billable <= coalesce(billed_run.cloud_units, 0)
       limit 1000
     )`,
  )
}
