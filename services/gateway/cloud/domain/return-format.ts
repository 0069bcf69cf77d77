/** Maps return formats to the parts of a page that the extractor must return. */

import type { ReturnFormat } from '@tidemark/contracts/http/cloud/page'
import { type Content, nothing, type Wanted } from '@tidemark/contracts/rpc/content'

const wanted: Record<ReturnFormat, Wanted> = {
  markdown: { ...nothing, markdown: 'page' },
  raw: { ...nothing, html: true },
  text: { ...nothing, text: true },
  commonmark: { ...nothing, commonmark: true },
  png: nothing,
}

export const wantedIn = (format: ReturnFormat): Wanted => wanted[format]

/** Returns the parts of a format (none for null), and the links of the page. */
export const wantedWithLinks = (format: ReturnFormat | null): Wanted => ({
  ...(format === null ? nothing : wanted[format]),
  anchors: true,
})

/** Returns the text in this format; empty: pages of this type have none. */
export const textIn = (format: Exclude<ReturnFormat, 'png'>, content: Content): string =>
  content[parts[format]] ?? ''

const parts = { markdown: 'markdown', raw: 'html', text: 'text', commonmark: 'commonmark' } as const
