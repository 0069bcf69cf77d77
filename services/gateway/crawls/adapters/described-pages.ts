/** Reads the pages of a small crawl with their metadata for its llms.txt, and names those that it never lists. */
import { openContent } from '@tidemark/content/store'
import type { LeftOut, LeftOutReason } from '@tidemark/contracts/http/llms-txt'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { OfProject } from '@tidemark/db/of-project'
import { isObject } from '../../http/domain/input.ts'
import { breadcrumbsOf } from '../domain/llms-txt/breadcrumbs.ts'
import type { ListedPage } from '../domain/llms-txt/listed-page.ts'

type Row = {
  url: string
  url_key: string
  title: string | null
  status: number
  blocked: boolean
  is_html: boolean
}

/** A page without its text, with the key of its stored content. */
export type DescribedPage = Omit<ListedPage, 'main' | 'whole'> & { urlKey: string; status: number }
export type DescribedPages = { pages: DescribedPage[]; leftOut: LeftOut[] }

const pagesOfRun = `select url, url_key, title, status, blocked,
    content_type is null or content_type ilike '%html%' as is_html
  from read.page where run_id = $1 and project_id = $2 order by id limit $3`

/** Returns the pages of a crawl in the order of their discovery, and those left out. */
export const describedPagesOf =
  (reads: OfProject) =>
  async (projectId: number, runId: number, most: number): Promise<DescribedPages> => {
    const { rows } = await reads(projectId).query<Row>(pagesOfRun, [runId, projectId, most])
    const keys = rows.map(row => row.url_key)
    const stored = await openContent(reads(projectId)).readMetadata(runId, keys)
    const urls = new Set(rows.filter(row => faultOf(row) === null).map(({ url }) => url))
    const found: DescribedPages = { pages: [], leftOut: [] }
    for (const row of rows) {
      const { url, url_key: urlKey, title, status } = row
      const metadata = stored.get(urlKey)
      const stated = metadataOf(isObject(metadata) ? metadata : {})
      const reason = faultOf(row) ?? wishOf(url, stated, urls)
      if (reason !== null) found.leftOut.push({ url, reason, sentence: sentences[reason] })
      else {
        const { description, og, json_ld } = stated
        const siteName = og.site_name ?? null
        const breadcrumbs = breadcrumbsOf(json_ld)
        found.pages.push({ url, urlKey, status, title, description, siteName, breadcrumbs })
      }
    }
    return found
  }

type Fault = Extract<LeftOutReason, 'http_error' | 'challenge' | 'not_html' | 'noindex' | 'duplicate'>

/** Returns why a page is not listed, or null: only HTML with a 2xx status is listed. */
function faultOf({ status, blocked, is_html }: Row): Fault | null {
  if (blocked) return 'challenge'
  if (status < 200 || status > 299) return 'http_error'
  return is_html ? null : 'not_html'
}

/** Returns why the page states that it should not be listed, or null. */
function wishOf(
  url: string,
  { robots, canonical }: { robots: string[]; canonical: string | null },
  urls: ReadonlySet<string>,
): Fault | null {
  if (robots.some(rule => rule === 'noindex' || rule === 'none')) return 'noindex'
  return canonical !== null && canonical !== url && urls.has(canonical) ? 'duplicate' : null
}

const sentences: Record<Fault, string> = {
  challenge: 'The site returned a challenge instead of the page.',
  http_error: 'The response has an HTTP error status.',
  not_html: 'The response is not HTML.',
  noindex: 'The page states noindex.',
  duplicate: 'The page names another listed page as its canonical.',
}
