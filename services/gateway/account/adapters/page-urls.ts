/** The addresses of pages on a bill; those of deleted runs are no longer in the read model. */
import type { OfProject } from '@tidemark/db/of-project'

/** By id. */
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
