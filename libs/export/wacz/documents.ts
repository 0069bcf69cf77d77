/** The list of documents of a WACZ, as JSON Lines. */
import type { ExportedPage, ExportSource } from '../page.ts'
import { warcUri } from '../warc/record.ts'

const documentTypes = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

/** Yields a header and a line per HTML document with status 200. Reports the URL of the first. */
export async function* documentLines(
  source: ExportSource,
  reportFirst: (url: string) => void,
): AsyncGenerator<string> {
  yield `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' })}\n`
  let count = 0
  for await (const page of source.pages([])) {
    if (page.status !== 200 || !documentTypes.test(page.contentType ?? '')) continue
    if (count++ === 0) reportFirst(warcUri(page.url))
    yield `${JSON.stringify(documentOf(page))}\n`
  }
}

const documentOf = ({ id, url, title, fetchedAt }: ExportedPage) => ({
  id: String(id),
  url: warcUri(url),
  title: title ?? url,
  ts: fetchedAt,
})
