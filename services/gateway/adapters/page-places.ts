/** What the read model knows of pages that are named elsewhere; pages of runs that were deleted are no longer there. */
import { unitsOfCrawl } from '@tidemark/contracts/prices'
import type { OfProject } from '@tidemark/db/of-project'

/** The addresses of pages, by id. */
export const pageUrlsOf =
  (reads: OfProject) =>
  async (projectId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
    if (ids.length === 0) return new Map()
    const { rows } = await reads(projectId).query<{ id: number; url: string }>({
      name: 'page-urls',
      text: 'select id, url from read.page where project_id = $1 and id = any($2::bigint[])',
      values: [projectId, ids],
    })
    return new Map(rows.map(({ id, url }) => [id, url]))
  }

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
