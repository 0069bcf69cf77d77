/** Maps return formats to parts of a page. */

import type { ReturnFormat } from '@tidemark/contracts/http/cloud/page'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'

const nothing: Wanted = { html: false, markdown: null, article: false, signals: false, anchors: false }

const wanted: Record<ReturnFormat, Wanted> = {
  markdown: { ...nothing, markdown: 'page' },
  raw: { ...nothing, html: true },
  text: { ...nothing, text: true },
  commonmark: { ...nothing, commonmark: true },
  png: nothing,
}

export const wantedIn = (format: ReturnFormat): Wanted => wanted[format]

/** Adds the links of the page. */
export const wantedWithLinks = (format: ReturnFormat | null): Wanted => ({
  ...(format === null ? nothing : wanted[format]),
  anchors: true,
})

/** Returns the wanted text, which is empty if pages of this type have none. */
export const textIn = (format: Exclude<ReturnFormat, 'png'>, content: Content): string =>
  content[parts[format]] ?? ''

const parts = { markdown: 'markdown', raw: 'html', text: 'text', commonmark: 'commonmark' } as const
