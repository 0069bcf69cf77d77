/** The pure part of the actor `extract-article`: the article of a page in the requested form, with its reading time. */

import type { ArticleFormat, ArticleFound } from '@tidemark/contracts/http/actors/extract-article'
import type { Article } from '@tidemark/html/article/article'
import { readArticle } from '@tidemark/html/article/read-article'
import { writeMarkdown } from '@tidemark/html/markdown/write-markdown'
import type { PageFacts } from '@tidemark/html/page-facts'
import { countWords } from '@tidemark/html/words'
import { bufferOf } from '../buffer-of.ts'
import { cut } from '../content-bounds.ts'
import { plainContent } from '../plain-content.ts'
import type { PageToSee, SeenPage } from './seen-page.ts'

export type ArticleWish = {
  format: ArticleFormat
  comments: boolean
  /** Words per minute; null: the default. */
  wpm: number | null
}

const wordsPerMinute = 230

/** The parts of the result that depend on the type of the page. */
type Written = Pick<ArticleFound, 'content' | 'word_count' | 'metadata'> & { comments: string | null }

/**
 * Returns the article. For a text document that is not HTML, the article is the text.
 * @param guessed language of a page that declares none, or null if unknown
 */
export function articleOf({ page, html, warnings }: SeenPage, wish: ArticleWish, guessed: string | null) {
  const { format, wpm } = wish
  const written =
    html === null
      ? plainly(page, format)
      : ofPage(readArticle(html.tree, { url: page.url, structured: html.facts.metadata.json_ld }), {
          format,
          guessed,
          facts: html.facts,
          url: page.url,
        })
  const { content, word_count, metadata, comments } = written
  const perMinute = wpm ?? wordsPerMinute
  return {
    format,
    content: cut('content', content, warnings),
    word_count,
    reading_time_seconds: Math.ceil((word_count * 60) / perMinute),
    wpm: perMinute,
    metadata,
    comments: wish.comments ? (comments ?? '') : null,
  } satisfies ArticleFound
}

type Beside = { format: ArticleFormat; guessed: string | null; facts: PageFacts; url: string }

const ofPage = (article: Article, { format, guessed, facts, url }: Beside): Written => ({
  content: format === 'text' ? article.text : writeMarkdown(article.nodes, { base: url }),
  word_count: article.wordCount,
  metadata: {
    title: article.title,
    byline: article.byline,
    site_name: article.siteName,
    published: article.published,
    modified: article.modified,
    lang: article.lang ?? guessed,
    description: facts.description,
    excerpt: article.excerpt,
    image: article.leadImage,
    canonical: facts.canonical,
    page_kind: article.pageKind,
    confidence: article.confidence,
  },
  comments: article.comments,
})

const wanted = {
  html: false,
  markdown: 'page',
  article: false,
  signals: false,
  anchors: false,
  text: true,
} as const
const silent = {
  ...{ title: null, byline: null, site_name: null, published: null, modified: null, lang: null },
  ...{ description: null, excerpt: null, image: null, canonical: null, page_kind: null, confidence: 0 },
} as const satisfies ArticleFound['metadata']

function plainly(page: PageToSee, format: ArticleFormat): Written {
  const body = bufferOf(page.body)
  const { text = '', markdown = '' } = plainContent({ ...page, wanted }, body)
  const content = format === 'text' ? text : markdown
  return { content, word_count: countWords(text), metadata: silent, comments: null }
}
