/**
 * Room that runs hold. A run was granted so many pages from its beginning; what of them is in the ledger already
 * counts as spent, the rest as held. When it has ended it holds only what is billed and not yet recorded.
 */
import type { HoldUnits } from '@tidemark/contracts/ask/usage'
import type { PoolClient } from 'pg'

export type Hold = { granted: number; closed: boolean }

/** What all runs of project $1 hold, as a scalar. */
export const heldByRuns = `
  select coalesce(sum(greatest(0, coalesce(billable, granted) - coalesce(billed_run.units, 0))), 0)
  from ledger.hold left join ledger.billed_run using (run_id) where hold.project_id = $1`

export async function readHold(client: PoolClient, runId: number): Promise<Hold | null> {
  const { rows } = await client.query<{ granted: number; closed: boolean }>(
    `select granted, billable is not null as closed from ledger.hold where run_id = $1`,
    [runId],
  )
  return rows[0] ? { granted: Number(rows[0].granted), closed: rows[0].closed } : null
}

export async function grantRun(
  client: PoolClient,
  { projectId, runId }: Pick<HoldUnits, 'projectId' | 'runId'>,
  granted: number,
): Promise<void> {
  await client.query(
    `insert into ledger.hold (run_id, project_id, granted) values ($1, $2, $3)
     on conflict (run_id) do update set granted = excluded.granted`,
    [runId, projectId, granted],
  )
}

/** These runs have ended, and so many of their pages are billed, recorded already or not yet. */
export async function closeHolds(
  client: PoolClient,
  runs: readonly { runId: number; billable: number }[],
): Promise<void> {
  if (runs.length === 0) return
  await client.query(
    `update ledger.hold set billable = ended.billable
     from unnest($1::bigint[], $2::bigint[]) as ended (run_id, billable) where hold.run_id = ended.run_id`,
    [runs.map(({ runId }) => runId), runs.map(({ billable }) => billable)],
  )
}

/** Removes holds that hold nothing any more, a part at a time. */
export async function sweepHolds(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query(
    `delete from ledger.hold where run_id in (
       select hold.run_id from ledger.hold left join ledger.billed_run using (run_id)
       where billable <= coalesce(billed_run.units, 0) limit 1000
     )`,
  )
}
