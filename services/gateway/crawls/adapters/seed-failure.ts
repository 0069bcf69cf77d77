/** Reads from the read model why a failed crawl has no page: the outcome of its seed. */
import { type FetchFailure, reasons } from '@tidemark/contracts/problems'
import type { OfProject } from '@tidemark/db/of-project'

/** Selects the first failure. A crawl without a page has only fetched the seed and its redirects. */
const first = `select cause from read.pageless
  where run_id = $1 and project_id = $2 and cause = any($3) order by sequence limit 1`

/** Returns the reason; null: the cause has no reason code. */
export const seedFailureOf =
  (reads: OfProject) =>
  async (projectId: number, runId: number): Promise<FetchFailure | null> => {
    const { rows } = await reads(projectId).query<{ cause: FetchFailure }>(first, [
      runId,
      projectId,
      reasons.fetch_failed,
    ])
    return rows[0]?.cause ?? null
  }
