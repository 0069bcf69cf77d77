/**
 * Finds the baseline of a monitor's run: the latest earlier run that is done and could read the pages of the run before
 * it. A run in which half the site did not answer is skipped, so that no change in the meantime is lost. A site that
 * never answers completely is not compared with its distant past forever.
 */
import type { Projection } from '@tidemark/db/projector'

/** Maximum number of runs to check; if none is complete, the last finished one is used. */
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
