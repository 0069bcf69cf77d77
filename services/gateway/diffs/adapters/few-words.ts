/**
 * Finds changed pages with fewer changed words than the minimum of a run (`min_changed_words`). The words are counted
 * in stored bodies, so the number of pages and the time are limited: further pages count as changed, because no change
 * may be lost.
 */
import { Refusal } from '@tidemark/bus/refusal'
import { problems } from '@tidemark/contracts/problems'
import type { OfProject } from '@tidemark/db/of-project'
import type { Contents } from '../../live-pages/adapters/contents.ts'
import type { Difference } from '../domain/difference.ts'
import type { PairRules } from './run-rules.ts'

type Row = { newId: number; oldRun: number; newRun: number; urlKey: string; url: string; status: number }

export type FewWords = (
  projectId: number,
  difference: Difference,
  rules: PairRules,
  signal?: AbortSignal,
) => Promise<ReadonlySet<number>>

/** Maximum pages whose words are counted. One takes about 10 ms. */
const maxCounted = 500
/** Maximum milliseconds of all counts: a process compares the runs of all tenants one after the other. */
const usualMaxMs = 10_000

/** Selects the changed pages with equal status. A page with another status is changed, whatever its words. */
const pairs = `
  select after.id as "newId", before.run_id as "oldRun", after.run_id as "newRun", after.url_key as "urlKey",
    after.url, after.status
  from unnest($2::bigint[], $3::bigint[]) with ordinality as changed (old_id, new_id, position)
  join read.page before on before.id = old_id join read.page after on after.id = new_id
  where before.project_id = $1 and after.project_id = $1 and before.status = after.status
  order by position limit ${maxCounted}`

/**
 * Returns the ids of these pages in the newer run. Rejects if the extractor does not respond, or is unavailable from the
 * start.
 * @param maxMs Time after which no further page is read.
 */
export const openFewWords =
  (reads: OfProject, { compare }: Pick<Contents, 'compare'>, maxMs = usualMaxMs): FewWords =>
  async (projectId, { changedOld, changedNew }, { rules, areSame, minChangedWords }, signal) => {
    const few = new Set<number>()
    if (minChangedWords === null || changedNew.length === 0) return few
    const { rows } = await reads(projectId).query<Row>(pairs, [projectId, changedOld, changedNew])
    // Runs with different rules are compared as a whole, so the words of whole pages count.
    const rulesOfBoth = areSame ? rules : null
    const endsAt = performance.now() + maxMs
    for (const [n, { newId, oldRun, newRun, ...page }] of rows.entries()) {
      if (signal?.aborted || performance.now() > endsAt) break
      const request = {
        ...{ projectId, old: { ...page, runId: oldRun }, new: { ...page, runId: newRun } },
        ...{ mode: 'text' as const, ...(rulesOfBoth && { rules: rulesOfBoth }) },
      }
      const found = await compare(request).catch(error => orChanged(error, n === 0))
      if (found !== null && !found.truncated && found.summary.changed_words < minChangedWords) few.add(newId)
    }
    return few
  }

/**
 * A page that cannot be read counts as changed, even if the extractor is busy: a later try would count all pages again.
 * If the extractor is unavailable for the first page, this function throws: the extractor may be down, and all changes
 * would count.
 */
function orChanged(error: unknown, isFirst: boolean): null {
  if (!(error instanceof Refusal)) throw error
  const isUnavailable = error.status === problems.unavailable.status && !isFirst
  if (isUnavailable || error.status === problems.fetch_failed.status) return null
  throw error
}
