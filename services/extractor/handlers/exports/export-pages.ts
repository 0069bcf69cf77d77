/** The pages of an export as its thread receives them, and as the formats read them. */

import { decodeEdges } from '@tidemark/content/edges'
import type { BatchedPage } from '@tidemark/content/page-batches'
import { headersIn } from '@tidemark/content/statements'
import type { Chunk } from '@tidemark/contracts/http/chunks'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { Content } from '@tidemark/contracts/rpc/content'
import type { ListedPage } from '@tidemark/contracts/rpc/exports'
import type { ExportedBody, ExportedPage, Part } from '@tidemark/export/page'
import { decodeHtml } from '@tidemark/html/decode'
import { isReadable } from '@tidemark/html/media-type'
import { decodeBody } from '@tidemark/http/decode'
import { bufferOf } from '../../domain/buffer-of.ts'

/**
 * `made` is the JSON of `Content` with Markdown and article. It is null if these were not requested, or if `isUnread`
 * is true: the stored body could not be read within the limits.
 * `vectors` are the embeddings of its chunks. They are null if they were not requested, or there are no chunks.
 */
export type SentPage = {
  listed: ListedPage
  stored: BatchedPage | null
  made: Uint8Array | null
  isUnread: boolean
  vectors: Float32Array[] | null
}

/** Returns the chunks of made content; null: it has no chunks. */
export const chunksIn = (made: Uint8Array | null): Chunk[] | null => contentIn(made)?.chunks ?? null

const contentIn = (made: Uint8Array | null): Content | null =>
  made === null ? null : JSON.parse(bufferOf(made).toString())

/** Maximum decoded bytes. The extractor has decoded each stored body before, so only a damaged body can exceed them. */
const maxBytes = 256 * 1024 ** 2

/** Throws a FetchError if the stored bytes are not in their codings. */
export const decoded = ({ data, encodings }: ExportedBody): Buffer => decodeBody(data, encodings, maxBytes)

export function exportPage(
  { listed, stored, made, isUnread, vectors }: SentPage,
  parts: readonly Part[],
): ExportedPage {
  const { urlKey: _, ...named } = listed
  const has = (part: Part) => parts.includes(part)
  const data = stored?.body ?? null
  const body = stored && data && { encodings: stored.encodings, data: bufferOf(data) }
  const content = contentIn(made)
  return {
    ...named,
    blocked: listed.blocked ?? false,
    rendered: listed.rendered ?? false,
    body: has('body') ? body : null,
    headers: has('headers') && stored?.headers ? headersIn(stored.headers) : null,
    html: has('html') && body ? htmlIn(body, listed.contentType) : null,
    markdown: (has('markdown') && content?.markdown) || null,
    chunks: (has('chunks') && content?.chunks) || null,
    embeddings: has('embeddings') ? vectors : null,
    article: (has('article') && content?.article) || null,
    warnings: has('markdown') || has('article') || has('chunks') ? warningsOf(listed, content, isUnread) : [],
    metadata: has('metadata') && stored?.metadata ? metadataOf(JSON.parse(stored.metadata)) : null,
    links: has('links') && stored?.edges ? decodeEdges(bufferOf(stored.edges)) : [],
  }
}

/** Returns what is missing from the content of a page. */
function warningsOf({ blocked }: ListedPage, content: Content | null, isUnread: boolean): string[] {
  if (blocked) return ['the site responded with a challenge for bots']
  if (isUnread) return ['the content could not be read within the limits of time and memory']
  return content?.warnings ?? []
}

/** Returns an empty text for a file such as a PDF, and null if the stored bytes are damaged. */
function htmlIn(body: ExportedBody, contentType: string | null): string | null {
  try {
    const bytes = decoded(body)
    return isReadable(contentType, bytes) ? decodeHtml(bytes, contentType).html : ''
  } catch {
    return null
  }
}
