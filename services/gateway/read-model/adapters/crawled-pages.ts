/** Reads the pages of a run in batches, in the order of their ids. */
import type { PageName } from '@tidemark/content/links'
import type { OfProject } from '@tidemark/db/of-project'

/** A page, with its name in the content store. */
export type CrawledPage = PageName & { id: number; requestedUrl: string | null }

export type OfRun = {
  projectId: number
  runId: number
  /** For the run as of an earlier time: the highest page id that belongs to it. Undefined: all pages belong to it. */
  upTo?: number
  /** For the run as of an earlier time: the position of its last event in the stream. */
  upToSequence?: number
}

const batch = (bound = '') => `select id, url_key as "urlKey", url, requested_url as "requestedUrl"
  from read.page
  where run_id = $1 and project_id = $2 and id > $3 and ($4::bigint is null or id = $4)${bound}
  order by id limit $5`
const all = { name: 'crawled-pages', text: batch() }
const asOf = { name: 'crawled-pages-as-of', text: batch(' and id <= $6') }

/** Yields all pages of the run that count, or the named one if it is among them. */
export async function* crawledPages(
  reads: OfProject,
  { projectId, runId, upTo }: OfRun,
  batchLength: number,
  onlyId?: number,
): AsyncGenerator<CrawledPage[]> {
  for (let after = 0; ; ) {
    const values = [runId, projectId, after, onlyId ?? null, batchLength]
    const statement = upTo === undefined ? { ...all, values } : { ...asOf, values: [...values, upTo] }
    const { rows } = await reads(projectId).query<CrawledPage>(statement)
    if (rows.length > 0) yield rows
    if (rows.length < batchLength) return
    after = rows.at(-1)?.id ?? after
  }
}
