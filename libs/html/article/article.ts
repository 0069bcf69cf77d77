/** The article of a page. */
import type { Document } from 'domhandler'
import { countWords } from '../words.ts'
import { articleHtml } from './article-html.ts'
import { articleText } from './article-text.ts'
import { commentsOf } from './comments.ts'
import { confidenceOf } from './confidence.ts'
import { type Dated, modifiedOf, publishedOf } from './facts/published.ts'
import type { Resolve } from './kept-tree.ts'
import type { PageKind } from './page-kind.ts'
import type { Reading } from './reading.ts'
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

/** The result of reading a page with an article. Expensive fields are computed lazily. */
export class Article {
  readonly title: string | null
  /** The authors' names, separated by commas. */
  readonly byline: string | null
  readonly siteName: string | null
  /** As stated by the page (BCP 47). */
  readonly lang: string | null
  /** An empty line separates paragraphs. */
  readonly text: string
  /** A separate tree with the same content as `content`, for other writers. */
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

  /** Clean HTML of the same text: a few elements and attributes, absolute links. */
  get content(): string {
    return articleHtml(this.nodes)
  }

  /** The day (`2026-11-21`), with the time if the page has it (RFC 3339). */
  get published(): string | null {
    if (this.#published === undefined) this.#published = publishedOf(this.#found.dated)
    return this.#published
  }

  /** The last change, in the form of `published`. */
  get modified(): string | null {
    return modifiedOf(this.#found.dated)
  }

  /** Absolute address. */
  get leadImage(): string | null {
    const { dated, nodes, resolve } = this.#found
    return leadImageOf(dated.facts, dated.node, nodes, resolve)
  }

  /** The page's own description in a sentence or two, or the beginning of the text. */
  get excerpt(): string | null {
    const { facts, node } = this.#found.dated
    return excerptOf(facts, node, this.text)
  }

  get pageKind(): PageKind {
    return this.#found.reading.pageKind
  }

  /** Readers' comments below the article, or null if there are no comments. */
  get comments(): string | null {
    const { reading } = this.#found
    return reading.pageKind === 'forum' ? null : commentsOf(reading)
  }

  /** From 0 (a guess) to 1: the agreement of the marks of an article. */
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
}
