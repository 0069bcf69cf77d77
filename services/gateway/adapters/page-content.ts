/** A page's content from the store, decoded as its bytes and headers say. */
import { openContent } from '@tidemark/content/store'
import type { Database } from '@tidemark/db/database'
import { decodeHtml } from '@tidemark/html/decode'
import { decodeBody } from '@tidemark/http/decode'
import { metadataOf } from '../domain/metadata.ts'
import type { PagePorts } from '../routes/pages.ts'

/** The extractor decoded each stored body before; this only bounds what a damaged one could become. */
const mostBytes = 256 * 1024 ** 2

export function pageContent(pool: Database['pool']): PagePorts['readContent'] {
  const content = openContent(pool)
  return async ({ runId, urlKey }) => {
    const stored = await content.readPage(runId, urlKey)
    if (stored === null || stored.body === null) return null
    const bytes = decodeBody(stored.body, stored.encodings, mostBytes)
    return { html: decodeHtml(bytes, stored.contentType).html, metadata: metadataOf(stored.metadata) }
  }
}
