/** What a scan asks of the extractor, and how its answer is told. */

import type { ScanRequest } from '@tidemark/contracts/http/scan'
import type { Ending } from '@tidemark/contracts/prices'
import type { Wanted } from '@tidemark/contracts/rpc/content'
import type { Found } from '../../reading/domain/found-page.ts'
import { metadataOf } from '../../reading/domain/metadata.ts'

export function wantedOf(request: ScanRequest): Wanted {
  const { metadata_only, only_main_content, include_links, include_article, extract } = request
  const named = Object.entries(extract ?? {}).map(([name, one]) => [
    name,
    typeof one === 'string' ? { selector: one } : one,
  ])
  return {
    html: false,
    markdown: metadata_only ? null : only_main_content ? 'main' : 'page',
    article: include_article && !metadata_only,
    signals: true,
    anchors: include_links,
    ...(extract && { extract: Object.fromEntries(named) }),
  }
}

/** Of every page of a bulk scan. */
export const bulkWanted = (isMetadataOnly: boolean): Wanted => ({
  html: false,
  markdown: isMetadataOnly ? null : 'page',
  article: !isMetadataOnly,
  signals: true,
  anchors: false,
})

/** What every scanned page tells. Throws when the answer lacks what every scan asks for. */
export function pageOf(asked: string, found: Found) {
  const { content, status } = found
  const { signals } = content
  if (signals === undefined) throw new Error('a scan has no signals')
  return {
    url: asked,
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

/** As the price table has it. */
export const endingOf = ({ content, isStored }: Found): Ending =>
  isStored ? 'cached' : content.challenge === null ? 'billed' : 'blocked'

export function warningsOf({ content }: Found): string[] {
  const challenge = content.challenge
  return challenge === null
    ? content.warnings
    : [`the site showed a challenge (${challenge}) instead of its page`, ...content.warnings]
}
