/** The pages of a run for its export, batch by batch in the order of their ids. */
import type { ListExportPages, ListedPage, ListedPages, ListedRun } from '@tidemark/contracts/rpc/exports'
import type { OfProject } from '@tidemark/db/of-project'

type PageRow = Omit<ListedPage, 'blocked' | 'fetchedAt' | 'hostAddress' | 'rendered'> & {
  fetchedAt: Date
  blocked: boolean
  rendered: boolean
  hostAddress: string | null
}
type RunRow = {
  url: string
  status: string
  enqueued_at: Date
  started_at: Date | null
  finished_at: Date | null
}

const run = `select url, status, enqueued_at, started_at, finished_at from read.run where id = $1 and project_id = $2`

const pages = `
  select id, url_key as "urlKey", url, requested_url as "requestedUrl", status, bytes, depth, fetched_at as "fetchedAt",
    content_type as "contentType", title, content_hash as "contentHash", raw_hash as "rawHash", blocked, rendered,
    address as "hostAddress"
  from read.page
  where run_id = $1 and project_id = $2 and id > $3
    and ($5::integer[] is null or status = any($5)) and ($6::text is null or starts_with(url, $6))
    and ($7::integer is null or depth <= $7)
  order by id limit $4`

/** The run is null if it was deleted, or belongs to another project. */
export const listExportPages =
  (reads: OfProject) =>
  async ({ projectId, runId, after, limit, select }: ListExportPages): Promise<ListedPages> => {
    const { status = null, url_prefix: prefix = null, max_depth: depth = null } = select
    const values = [runId, projectId, after, limit, status, prefix, depth]
    const { rows } = await reads(projectId).query<PageRow>({ name: 'export-pages', text: pages, values })
    // The run is read after its pages: if its end is still the same, none of the pages belongs to a later end.
    const found = await reads(projectId).query<RunRow>({
      name: 'export-run',
      text: run,
      values: [runId, projectId],
    })
    const [row] = found.rows
    if (row === undefined) return { run: null, pages: [] }
    return { run: runOf(row), pages: rows.map(pageOf) }
  }

const runOf = ({ url, status, enqueued_at, started_at, finished_at }: RunRow): ListedRun => ({
  url,
  status,
  startedAt: (started_at ?? enqueued_at).toISOString(),
  finishedAt: finished_at?.toISOString() ?? null,
})

const pageOf = ({ fetchedAt, blocked, rendered, hostAddress, ...row }: PageRow): ListedPage => ({
  ...row,
  fetchedAt: fetchedAt.toISOString(),
  ...(blocked && { blocked }),
  ...(rendered && { rendered }),
  ...(hostAddress !== null && { hostAddress }),
})
