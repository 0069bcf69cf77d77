/** Finds the newest stored page of an address over all crawls of a project. Challenges and pages without a body are skipped. */
import { hasBody } from '@tidemark/content/store'
import type { OfProject } from '@tidemark/db/of-project'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import type { Found } from '../domain/found-page.ts'

export type RecentPage = {
  runId: number
  urlKey: string
  url: string
  status: number
  fetchedAt: Date
  /** The site's policy for AI bots at the time of the crawl. */
  site: Pick<Found, 'aiBotPolicy' | 'llmsTxt' | 'llmsFullTxt'>
}

type Row = Omit<RecentPage, 'site'> & RecentPage['site']

/** Joins from the runs: only the few crawls that were active since `$3` can have such a page. */
const newest = `select page.run_id as "runId", page.url_key as "urlKey", page.url, page.status,
    page.fetched_at as "fetchedAt", run.ai_bot_policy as "aiBotPolicy", run.llms_txt as "llmsTxt",
    run.llms_full_txt as "llmsFullTxt"
  from read.run
  join read.page on page.run_id = run.id and page.url_key = $2
  where run.project_id = $1 and (run.finished_at is null or run.finished_at > $3) and page.fetched_at > $3
    and not page.blocked and ${hasBody('page')}
  order by page.fetched_at desc limit 1`

/**
 * Returns the newest page, or null.
 * @param since only pages that were fetched later count
 */
export const recentPageOf =
  (reads: OfProject) =>
  async (projectId: number, url: string, since: Date): Promise<RecentPage | null> => {
    const normal = normalForm(url)
    if (normal === null) return null
    const { rows } = await reads(projectId).query<Row>({
      name: 'recent-page',
      text: newest,
      values: [projectId, urlKey(normal), since],
    })
    const [row] = rows
    if (row === undefined) return null
    const { aiBotPolicy, llmsTxt, llmsFullTxt, ...page } = row
    return { ...page, site: { aiBotPolicy, llmsTxt, llmsFullTxt } }
  }
