/** Converts a scan to the request to the extractor, and the result to the response. */

import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { ScanRequest } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { ExtractRequest } from '../../live-pages/domain/extract-request.ts'
import type { Found } from '../../live-pages/domain/found-page.ts'
import { endingOfPage } from '../../live-pages/domain/price-of.ts'

export function wantedOf(request: ScanRequest, extract: ExtractRequest | undefined): Wanted {
  const { metadata_only, only_main_content, include_links, include_article, chunks } = request
  return {
    html: false,
    markdown: metadata_only ? null : only_main_content ? 'main' : 'page',
    article: include_article && !metadata_only,
    signals: true,
    anchors: include_links,
    ...(chunks && { chunks }),
    ...(extract && ('schema' in extract ? schemaWanted(extract) : { extract: extract.selectors })),
  }
}

const schemaWanted = ({ schema, byModel }: Extract<ExtractRequest, { schema: unknown }>) => ({
  schema,
  ...(byModel && { byModel: { ...(byModel.prompt !== undefined && { prompt: byModel.prompt }) } }),
})

/** Returns the wanted parts of every page in a bulk scan. */
export const bulkWanted = (isMetadataOnly: boolean): Wanted => ({
  html: false,
  markdown: isMetadataOnly ? null : 'page',
  article: !isMetadataOnly,
  signals: true,
  anchors: false,
})

/** Returns a warning for each field that has no effect beside another one. */
export function withoutEffect(request: ScanRequest): string[] {
  const { metadata_only, include_article, only_main_content, screenshot_inline, max_age_seconds } = request
  const ignored = (field: string, why: string) => `${field} was ignored, because ${why}`
  return [
    ...(metadata_only && include_article
      ? [ignored('include_article', 'metadata_only leaves out the article')]
      : []),
    ...(metadata_only && only_main_content
      ? [ignored('only_main_content', 'metadata_only leaves out the Markdown')]
      : []),
    ...(screenshot_inline && max_age_seconds !== undefined
      ? [ignored('max_age_seconds', 'stored pages have no screenshot')]
      : []),
  ]
}

/** Returns the fields of every scanned page. Throws an Error if the extractor returned no signals. */
export function pageOf(requestedUrl: string, found: Found) {
  const { content, status } = found
  const { signals } = content
  if (signals === undefined) throw new Error('a scan has no signals')
  return {
    url: requestedUrl,
    final_url: found.url,
    status,
    bytes: content.bytes,
    fetched_at: found.fetchedAt,
    content_hash: content.contentHash,
    content_type: content.contentType,
    cached: found.isStored,
    blocked: content.challenge !== null,
    metadata: metadataOf(content.metadata),
    signals,
    ai_bot_policy: found.aiBotPolicy,
    llms_txt: found.llmsTxt,
  }
}

/** Returns the outcome of the page in the price table. */
export const endingOf = ({ content, isStored }: Found): Ending =>
  isStored ? 'cached' : endingOfPage({ content })
