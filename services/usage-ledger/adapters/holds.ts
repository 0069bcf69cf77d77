/**
 * Room that runs hold. A run was granted so many pages from its beginning; what of them is in the ledger already
 * counts as spent, the rest as held. When it has ended it holds only what is billed and not yet recorded; that it has
 * ended is noted with the run itself, so that a grant which comes late holds nothing either.
 */
import type { HoldUnits } from '@tidemark/contracts/ask/usage'
import type { PoolClient } from 'pg'

export type Hold = { granted: number; hasEnded: boolean }

/** What all runs of project $1 hold, as a scalar. */
export const heldByRuns = `
  select coalesce(sum(greatest(0, coalesce(run.billable, hold.granted) - coalesce(billed_run.units, 0))), 0)
  from ledger.hold left join ledger.run using (run_id) left join ledger.billed_run using (run_id)
  where hold.project_id = $1`

export async function readHold(client: PoolClient, runId: number): Promise<Hold> {
  const { rows } = await client.query<{ granted: number | null; ended: boolean }>(
    `select (select granted from ledger.hold where run_id = $1) as granted,
       exists (select from ledger.run where run_id = $1 and billable is not null) as ended`,
    [runId],
  )
  return { granted: Number(rows[0]?.granted ?? 0), hasEnded: rows[0]?.ended ?? false }
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

/** These runs have ended, and so many of their pages are billed, recorded already or not yet. Each is known by now. */
export async function noteEnds(
  client: PoolClient,
  runs: readonly { runId: number; billable: number }[],
): Promise<void> {
  if (runs.length === 0) return
  await client.query(
    `update ledger.run set billable = ended.billable
     from unnest($1::bigint[], $2::bigint[]) as ended (run_id, billable) where run.run_id = ended.run_id`,
    [runs.map(({ runId }) => runId), runs.map(({ billable }) => billable)],
  )
}

/** Removes holds that hold nothing any more, a part at a time. */
export async function sweepHolds(client: Pick<PoolClient, 'query'>): Promise<void> {
  await client.query(
    `delete from ledger.hold where run_id in (
       select hold.run_id from ledger.hold join ledger.run using (run_id) left join ledger.billed_run using (run_id)
       where billable <= coalesce(billed_run.units, 0) limit 1000
     )`,
  )
}
