/** Facts that are read from a page with an article. */
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
  /** The page's own description of a sentence or two, or the beginning of its text. */
  readonly excerpt: string | null
  /** Paragraphs are parted by an empty line. */
  readonly text: string
  /** Clean HTML of the same: a few elements and attributes, absolute links. */
  readonly content: string
  /** A tree of its own that holds what `content` says, for other writers. */
  readonly nodes: Document
  /** Comments of readers below the article; null without comments. */
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
  /** Whether the text includes the heading with the title. Without it, the title is only in its own field. */
  withHeadline?: boolean
}
