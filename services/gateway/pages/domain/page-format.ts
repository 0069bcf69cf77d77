/** The content of each format of a stored page (specification, GET /v1/pages/{id}): a table. */

import type { ChunkRequest } from '@tidemark/contracts/http/chunks'
import { metadataOf } from '@tidemark/contracts/http/page-metadata'
import type { PageFormat, PagePart, PageQuery, PageView } from '@tidemark/contracts/http/pages'
import type { Content, Wanted } from '@tidemark/contracts/rpc/content'

type ArticleForm = PageQuery['article_format']

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
export type PageSlice = {
  parts: readonly PagePart[]
  isMainOnly: boolean
  articleFormat: ArticleForm
  chunks: ChunkRequest | undefined
}

/** The parts that are computed from the body; the others are stored in their final form. */
export function wantedFor({ parts, isMainOnly, articleFormat, chunks }: PageSlice): Wanted | null {
  const has = (part: PagePart) => parts.includes(part)
  if (!has('markdown') && !has('article') && !has('signals')) return null
  return {
    html: false,
    markdown: has('markdown') ? (isMainOnly ? 'main' : 'page') : null,
    ...(chunks && has('markdown') && { chunks }),
    article: has('article'),
    ...(has('article') && articleFormat === 'markdown' && { articleFormat }),
    signals: has('signals'),
    anchors: false,
  }
}

/** The computed parts, under the contract's names. */
export function madeOf({ parts, articleFormat }: PageSlice, content: Content): Partial<PageView> {
  const { markdown, chunks, article, signals, metadata, warnings } = content
  return {
    ...(markdown !== undefined && { markdown }),
    ...(chunks && { chunks, ...(warnings.length > 0 && { warnings }) }),
    ...(article && { article_text: article.text, ...formOf(article, articleFormat) }),
    ...(parts.includes('metadata') && { metadata: metadataOf(metadata) }),
    ...(signals && { signals }),
  }
}

type Article = NonNullable<Content['article']>

const formOf = ({ html, markdown }: Article, format: ArticleForm): Partial<PageView> =>
  format === 'markdown' ? { article_markdown: markdown ?? '' } : { article_html: html }

/** Returns null for each requested part, for a page that lacks them all. */
export const nullsOf = ({ parts, articleFormat, chunks }: PageSlice): Record<string, null> =>
  Object.fromEntries(
    [...parts.flatMap(part => namesOf(part, articleFormat)), ...(chunks ? ['chunks'] : [])].map(name => [
      name,
      null,
    ]),
  )

const namesOf = (part: PagePart, format: ArticleForm): (keyof PageView)[] =>
  part === 'article' ? ['article_text', `article_${format}`] : [part]
