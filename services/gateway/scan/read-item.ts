/** Reads one of the pages of a bulk scan or a batch, whose address is judged, and describes it as an item. */
import type { BulkItem } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import { problemOf } from '../http/requests/problem-of.ts'
import type { Found } from '../live-pages/domain/found-page.ts'
import { pageWarnings } from '../live-pages/domain/page-fields.ts'
import { type Reading, type ReadPorts, readOne } from '../live-pages/read-one.ts'
import { endingOf, pageOf } from './domain/scan.ts'

/** `shownUrl` is the URL in the item, possibly shortened. */
export type ListedUrl = { index: number; url: string; shownUrl: string }
export type Outcome = { item: BulkItem; ending: Ending }

/** Returns the item of a page and its outcome for the bill. Throws if it cannot be fetched. */
export async function readItem(
  ports: ReadPorts,
  projectId: number,
  { url }: ListedUrl,
  reading: Reading,
): Promise<Outcome> {
  const found = await readOne(ports, projectId, reading)
  return { item: { url, ok: true, result: resultOf(url, found) }, ending: endingOf(found) }
}

/** Returns the item of a page that could not be read. */
export function failedItem(error: unknown, { shownUrl, index }: ListedUrl): BulkItem {
  const { code, reason = code, message } = problemOf(error)
  const isRefused = reason === 'private_address'
  const text = isRefused ? `SSRF-check failure of urls[${index}]: ${message}` : `fetch failed: ${message}`
  return { url: shownUrl, ok: false, error: text, reason }
}

function resultOf(url: string, found: Found) {
  const { markdown, article } = found.content
  const warnings = pageWarnings(found)
  return {
    ...pageOf(url, found),
    ...(markdown !== undefined && { markdown }),
    ...(article && { article: article.text, article_html: article.html }),
    llms_full_txt: found.llmsFullTxt,
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Returns the item of a page that was not requested. */
export const notRead = (url: string, reason: Unread | null): BulkItem => ({
  url,
  ok: false,
  error: unread[reason ?? 'daily_pages'],
  reason: reason ?? 'daily_pages',
})

/** Texts of the reasons why a page was not requested. */
const unread = {
  daily_pages: 'daily page cap exceeded',
  monthly_pages: 'monthly page cap exceeded',
  cloud_pages: 'daily cap of cloud pages exceeded',
  free_results: 'daily limit of failures and challenges exceeded',
  timeout: 'fetch failed: it was not requested in time',
}
type Unread = keyof typeof unread
