/** A run's pages with the fields that others need, batch by batch in the order of their ids; never all at once. */
import type { PageName } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'

/** One page, and under which name the content store knows it. */
export type CrawledPage = PageName & { id: number; requestedUrl: string | null }

export type OfRun = { projectId: number; runId: number }

type Row = { id: number; url_key: string; url: string; requested_url: string | null }

const batch = `select id, url_key, url, requested_url from read.page
  where run_id = $1 and project_id = $2 and id > $3 and ($4::bigint is null or id = $4)
  order by id limit $5`

/** All pages of the run, or the named one if it belongs to the run. */
export async function* crawledPages(
  reads: OfProject,
  { projectId, runId }: OfRun,
  batchLength: number,
  onlyId?: number,
): AsyncGenerator<CrawledPage[]> {
  for (let after = 0; ; ) {
    const values = [runId, projectId, after, onlyId ?? null, batchLength]
    const { rows } = await reads(projectId).query<Row>({ name: 'crawled-pages', text: batch, values })
    if (rows.length > 0) yield rows.map(pageOf)
    if (rows.length < batchLength) return
    after = rows.at(-1)?.id ?? after
  }
}

const pageOf = ({ id, url_key, url, requested_url }: Row): CrawledPage => ({
  id,
  urlKey: url_key,
  url,
  requestedUrl: requested_url,
})
