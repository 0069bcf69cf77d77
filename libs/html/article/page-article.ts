/** The article of a page. Expensive fields are computed lazily. */
import type { Document } from 'domhandler'
import { countWords } from '../words.ts'
import type { Article } from './article.ts'
import { articleHtml } from './article-html.ts'
import { articleText } from './article-text.ts'
import { commentsOf } from './comments.ts'
import { confidenceOf } from './confidence.ts'
import { type Dated, modifiedOf, publishedOf } from './facts/published.ts'
import type { Resolve } from './kept-tree.ts'
import type { PageKind } from './page-kind.ts'
import type { Reading } from './reading.ts'
import { readingTime } from './reading-time.ts'
import { excerptOf, leadImageOf } from './summary.ts'

type Found = {
  dated: Dated
  title: string | null
  byline: string | null
  siteName: string | null
  reading: Reading
  container: number
  nodes: Document
  resolve: Resolve
}

export class PageArticle implements Article {
  readonly title: string | null
  readonly byline: string | null
  readonly siteName: string | null
  readonly lang: string | null
  readonly text: string
  readonly nodes: Document
  readonly #found: Found
  #published: string | null | undefined
  #words: number | undefined

  constructor(found: Found) {
    this.#found = found
    this.title = found.title
    this.byline = found.byline
    this.siteName = found.siteName
    this.lang = found.dated.facts.lang
    this.nodes = found.nodes
    this.text = articleText(found.nodes)
  }

  get content(): string {
    return articleHtml(this.nodes)
  }

  get published(): string | null {
    if (this.#published === undefined) this.#published = publishedOf(this.#found.dated)
    return this.#published
  }

  get modified(): string | null {
    return modifiedOf(this.#found.dated)
  }

  get leadImage(): string | null {
    const { dated, nodes, resolve } = this.#found
    return leadImageOf(dated.facts, dated.node, nodes, resolve)
  }

  get excerpt(): string | null {
    const { facts, node } = this.#found.dated
    return excerptOf(facts, node, this.text)
  }

  get pageKind(): PageKind {
    return this.#found.reading.pageKind
  }

  get comments(): string | null {
    const { reading } = this.#found
    return reading.pageKind === 'forum' ? null : commentsOf(reading)
  }

  get confidence(): number {
    const { reading, container } = this.#found
    const marks = {
      titled: this.title !== null,
      dated: this.published !== null,
      signed: this.byline !== null,
    }
    return confidenceOf({ reading, container, words: this.wordCount, ...marks })
  }

  get wordCount(): number {
    this.#words ??= countWords(this.text)
    return this.#words
  }

  get readingTimeMinutes(): number {
    return readingTime(this.wordCount)
  }
}
