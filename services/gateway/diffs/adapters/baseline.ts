/**
 * Finds the run with which a monitor's run is compared (its baseline): the latest earlier successful run that read its
 * site completely. An incomplete run is skipped, so that no change in the meantime is lost. At most ten runs are
 * checked, so a site that never responds completely is still compared with a recent run.
 */
import { cuttingReasons, DeferringLimit } from '@tidemark/contracts/run-ends'
import type { Projection } from '@tidemark/db/projector'

const listed = (reasons: readonly string[]) => reasons.map(reason => `'${reason}'`).join(', ')
/** The stop reasons of runs that a limit cut short, as a list of SQL. */
const cutting = listed(cuttingReasons)
/** The stop reasons of runs that have read all pages they selected, as a list of SQL. */
const complete = listed(['exhausted', ...DeferringLimit.anyOf.map(({ const: limit }) => limit)])

/** Maximum number of runs to check. If none is complete, the latest one with pages is used. */
const maxSteps = 10

/** SQL condition for a reopened run that has read all of its pages in the end. Its comparison is that of an earlier end. */
const isRepaired = `before.was_reopened and before.error_count = 0 and before.stop_reason = 'exhausted'
  and not exists (select from read.page where page.run_id = before.id and page.blocked)`

/** SQL condition for a complete run. The first run of a monitor is complete, because it has no earlier pages to miss. */
const isWhole = `coalesce(before.status = 'done' and before.stop_reason in (${complete})
  and case when before.diff ? 'notRevisited' and before.diff ->> 'notRevisited' = '0' then true
    when ${isRepaired} then true
    when before.diff ? 'notRevisited' then false
    when before.previous_run_id is null then true else before.error_count = 0 end, false)`

/** SQL condition for a successful run, except one that a limit ended before its first page. */
const hasPages = `(before.status = 'done'
  and not (before.page_count = 0 and coalesce(before.stop_reason in (${cutting}), false)))`

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

/** Returns the id of the baseline, or the reason why the run has no baseline. */
export async function baselineOf(
  pool: Pick<Projection['pool'], 'query'>,
  runId: number,
): Promise<number | 'previous_run_deleted' | 'no_baseline'> {
  const { rows } = await pool.query<{ id: number; has_pages: boolean }>(baseline, [runId])
  const [found] = rows
  if (found === undefined) return 'previous_run_deleted'
  return found.has_pages ? found.id : 'no_baseline'
}
