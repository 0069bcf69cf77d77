/** The content of each format of a stored page (specification, GET /v1/pages/{id}): a table. */

import type { PageFormat, PagePart, PageView } from '@tidemark/contracts/http/pages'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'
import { metadataOf } from '../../reading/domain/metadata.ts'

export const partsOfFormat: Record<PageFormat, readonly PagePart[]> = {
  html: ['html', 'metadata'],
  markdown: ['markdown', 'metadata'],
  article: ['article', 'metadata'],
  both: ['html', 'markdown', 'article', 'metadata'],
  full: ['html', 'markdown', 'article', 'metadata', 'signals'],
  signals: ['signals'],
}

/** The names in `include`, without duplicates, in their order. */
export const partsOf = (include: string): PagePart[] => [...new Set(include.split(',') as PagePart[])]

/** Selected content of a page. */
export type PageSlice = { parts: readonly PagePart[]; isMainOnly: boolean }

/** The parts that are computed from the body; the others are stored in their final form. */
export function wantedFor({ parts, isMainOnly }: PageSlice): Wanted | null {
  const has = (part: PagePart) => parts.includes(part)
  if (!has('markdown') && !has('article') && !has('signals')) return null
  return {
    html: false,
    markdown: has('markdown') ? (isMainOnly ? 'main' : 'page') : null,
    article: has('article'),
    signals: has('signals'),
    anchors: false,
  }
}

/** The computed parts, under the contract's names. */
export function madeOf(parts: readonly PagePart[], content: Content): Partial<PageView> {
  const { markdown, article, signals, metadata } = content
  return {
    ...(markdown !== undefined && { markdown }),
    ...(article && { article_text: article.text, article_html: article.html }),
    ...(parts.includes('metadata') && { metadata: metadataOf(metadata) }),
    ...(signals && { signals }),
  }
}

/** For a page without the part. */
export const nullsOf = (parts: readonly PagePart[]): Record<string, null> =>
  Object.fromEntries(parts.flatMap(part => names[part]).map(name => [name, null]))

const names: Record<PagePart, (keyof PageView)[]> = {
  markdown: ['markdown'],
  metadata: ['metadata'],
  article: ['article_text', 'article_html'],
  signals: ['signals'],
  html: ['html'],
}
