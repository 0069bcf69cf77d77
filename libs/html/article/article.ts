/** The result of reading a page with an article. */
import type { Document } from 'domhandler'
import type { PageKind } from './page-kind.ts'

export type Article = {
  readonly title: string | null
  /** The authors' names, separated by commas. */
  readonly byline: string | null
  /** The day (`2026-11-21`), with the time if the page has it (RFC 3339). */
  readonly published: string | null
  readonly modified: string | null
  readonly siteName: string | null
  /** As stated by the page (BCP 47). */
  readonly lang: string | null
  /** Absolute address. */
  readonly leadImage: string | null
  /** The page's own description in a sentence or two, or the beginning of the text. */
  readonly excerpt: string | null
  /** An empty line separates paragraphs. */
  readonly text: string
  /** Clean HTML of the same text: a few elements and attributes, absolute links. */
  readonly content: string
  /** A separate tree with the same content as `content`, for other writers. */
  readonly nodes: Document
  /** Readers' comments below the article, or null if there are no comments. */
  readonly comments: string | null
  readonly pageKind: PageKind
  /** From 0 (a guess) to 1: the agreement of the marks of an article. */
  readonly confidence: number
  readonly wordCount: number
  readonly readingTimeMinutes: number
}

export type ArticleOptions = {
  /** The page's address. */
  url: string
  /** The objects of the page's JSON-LD, if they have been read already. */
  structured?: readonly object[]
  /** Whether the heading with the title is part of the text. Without it, only `title` has it. */
  withHeadline?: boolean
}
