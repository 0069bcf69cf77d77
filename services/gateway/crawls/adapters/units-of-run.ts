/** The units of a run so far, from its pages in the read model. */
import { unitsOfCrawl } from '@tidemark/contracts/prices'
import type { OfProject } from '@tidemark/db/of-project'

/** Pages that a run is billed for so far, by the pages that are known of it. */
export const unitsOfRunBy =
  (reads: OfProject) =>
  async (projectId: number, runId: number): Promise<number> => {
    const { rows } = await reads(projectId).query<{ pages: number; blocked: number; rendered: number }>(
      `select count(*)::int as pages, count(*) filter (where blocked)::int as blocked,
         count(*) filter (where rendered and not blocked)::int as rendered
       from read.page
       where run_id = $1 and project_id = $2`,
      [runId, projectId],
    )
    const { pages = 0, blocked = 0, rendered = 0 } = rows[0] ?? {}
    return unitsOfCrawl({ fetched: pages, blocked, rendered }).page
  }
