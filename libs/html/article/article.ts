/** What is read from a page that has an article. */
import type { Document } from 'domhandler'
import type { PageKind } from './page-kind.ts'

export type Article = {
  readonly title: string | null
  /** The authors' names, parted by commas. */
  readonly byline: string | null
  /** The day (`2026-11-21`), with the time where the page states it (RFC 3339). */
  readonly published: string | null
  readonly modified: string | null
  readonly siteName: string | null
  /** As the page states it (BCP 47). */
  readonly lang: string | null
  /** Absolute. */
  readonly leadImage: string | null
  /** What the page says about itself in a sentence or two, or how the text begins. */
  readonly excerpt: string | null
  /** Paragraphs are parted by an empty line. */
  readonly text: string
  /** Clean HTML of the same: a few elements and attributes, absolute links. */
  readonly content: string
  /** A tree of its own that holds what `content` says, for other writers. */
  readonly nodes: Document
  /** What readers wrote below the article; null where nobody did. */
  readonly comments: string | null
  readonly pageKind: PageKind
  /** From 0, a guess, to 1: how far the marks of an article agree. */
  readonly confidence: number
  readonly wordCount: number
  readonly readingTimeMinutes: number
}

export type ArticleOptions = {
  /** The page's address. */
  url: string
  /** The objects of the page's JSON-LD when they have been read already. */
  structured?: readonly object[]
  /** Whether the heading that says the title is part of the text; without it the title is told apart only. */
  withHeadline?: boolean
}
