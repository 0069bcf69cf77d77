/** Reads titles and descriptions of the pages of a small crawl, for its llms.txt. */
import { openContent } from '@tidemark/content/store'
import type { OfProject } from '@tidemark/db/of-project'
import { isObject } from '../../http/domain/input.ts'
import { metadataOf } from '../../reading/domain/metadata.ts'
import type { DescribedPage } from '../domain/llms-txt.ts'

type Row = { url: string; url_key: string; title: string | null }

/** Pages that people can read: no errors, no pictures, no challenges. */
const readable = `select url, url_key, title from read.page
  where run_id = $1 and project_id = $2 and status between 200 and 299 and not blocked
    and (content_type is null or content_type ilike '%html%')
  order by id limit $3`

/**
 * Returns the pages in the order of their discovery, without pages with noindex and pages whose canonical is another
 * page of the crawl.
 */
export const describedPagesOf =
  (reads: OfProject) =>
  async (projectId: number, runId: number, max: number): Promise<DescribedPage[]> => {
    const { rows } = await reads(projectId).query<Row>(readable, [runId, projectId, max])
    const metadata = await openContent(reads(projectId)).readMetadata(
      runId,
      rows.map(row => row.url_key),
    )
    const urls = new Set(rows.map(({ url }) => url))
    return rows.flatMap(({ url, url_key, title }) => {
      const stored = metadata.get(url_key)
      const { description, canonical, robots, og } = metadataOf(isObject(stored) ? stored : {})
      const isOther = canonical !== null && canonical !== url && urls.has(canonical)
      const isPrivate = robots.some(rule => rule === 'noindex' || rule === 'none')
      return isOther || isPrivate ? [] : [{ url, title, description, siteName: og.site_name ?? null }]
    })
  }
