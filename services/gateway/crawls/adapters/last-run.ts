/** Reads the latest successful run of a URL from the read model. */
import { hash } from 'node:crypto'
import type { CrawlEstimate } from '@tidemark/contracts/http/estimate'
import type { OfProject } from '@tidemark/db/of-project'
import { normalForm } from '@tidemark/url/normal-form'

export type LastRun = NonNullable<CrawlEstimate['basis']['last_run']>

type Row = {
  id: number
  page_count: number
  started_at: Date | null
  finished_at: Date | null
  stop_reason: string | null
}

/** Searches the URL as written and in normal form, by their indexed hashes, because URLs are stored as written. */
const lastOfUrl = `select id, page_count, started_at, finished_at, stop_reason from read.run
  where project_id = $1 and md5(url) = any($2) and url = any($3) and status = 'done'
  order by id desc limit 1`

const md5 = (text: string) => hash('md5', text)

export const lastRunOf =
  (reads: OfProject) =>
  async (projectId: number, url: string): Promise<LastRun | null> => {
    const urls = [url, normalForm(url) ?? url]
    const { rows } = await reads(projectId).query<Row>(lastOfUrl, [projectId, urls.map(md5), urls])
    const [row] = rows
    if (row === undefined) return null
    const { id, page_count: pages, started_at, finished_at, stop_reason } = row
    const seconds = started_at && finished_at ? (finished_at.getTime() - started_at.getTime()) / 1000 : null
    return { id, pages, seconds, stop_reason }
  }
