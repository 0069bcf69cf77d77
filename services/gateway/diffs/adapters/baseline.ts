/**
 * The run that a monitor's run is compared with: of those before it the last that was done and could read what the
 * one before that had. A tick that half the site did not answer is passed over, so that nothing which changed
 * meanwhile is lost. A site that never answers whole is not compared with its distant past for ever.
 */
import type { Projection } from '@tidemark/db/projector'

/** How far back it is looked for; where none is whole, the last one that was done must do. */
const maxSteps = 10

/** The first of a chain has nothing before it that would be whole. */
const isWhole = `coalesce(before.status = 'done' and before.stop_reason in ('exhausted', 'max_pages', 'depth')
  and case when before.diff ? 'notRevisited' then before.diff ->> 'notRevisited' = '0'
    when before.previous_run_id is null then true else before.error_count = 0 end, false)`

/** One that a limit ended before its first page has nothing to be compared with. */
const hasPages = `(before.status = 'done'
  and not (before.page_count = 0 and coalesce(before.stop_reason in ('quota', 'time_limit', 'pattern_time'), false)))`

const baseline = `
  with recursive past as (
    select before.id, before.project_id, before.previous_run_id,
      ${hasPages} as has_pages, ${isWhole} as is_whole, 1 as steps
    from read.run join read.run before on before.id = run.previous_run_id and before.project_id = run.project_id
    where run.id = $1
    union all
    select before.id, before.project_id, before.previous_run_id, ${hasPages}, ${isWhole}, past.steps + 1
    from past join read.run before on before.id = past.previous_run_id and before.project_id = past.project_id
    where not past.is_whole and past.steps < ${maxSteps}
  )
  select id, has_pages from past order by is_whole desc, has_pages desc, steps limit 1`

/** Returns its id, or why it does not exist. */
export async function baselineOf(
  pool: Pick<Projection['pool'], 'query'>,
  runId: number,
): Promise<number | 'previous_run_deleted' | 'no_baseline'> {
  const { rows } = await pool.query<{ id: number; has_pages: boolean }>(baseline, [runId])
  const [found] = rows
  if (found === undefined) return 'previous_run_deleted'
  return found.has_pages ? found.id : 'no_baseline'
}
