/** A page as actors read it: its facts and its tree from one reading, and whether it is the page at all. */

import type { PageFacts } from '@tidemark/html/page-facts'
import type { Document } from 'domhandler'
import { type ContentQuestion, challengeIn, openPage } from '../content.ts'

/** As it came; `body` is decoded. */
export type PageToSee = Omit<ContentQuestion, 'wanted'>

export type SeenPage = {
  page: PageToSee
  /** Null of what is no HTML. */
  html: { tree: Document; facts: PageFacts; read: string } | null
  /** Whose challenge it is. */
  challenge: string | null
  warnings: string[]
}

/** The text needs the tree. */
const wanted = {
  html: false,
  markdown: null,
  article: false,
  signals: false,
  anchors: true,
  text: true,
} as const

export function seePage(page: PageToSee): SeenPage {
  const open = openPage({ ...page, wanted })
  const { html } = open
  const challenge = challengeIn(open)
  if (html === null || html.tree === null) {
    const kind = page.contentType ?? 'of no stated type'
    return { page, html: null, challenge, warnings: [`the document is no HTML, but ${kind}`] }
  }
  const { tree, facts, read, whole } = html
  const isCut = read.length < whole.length
  const warnings = isCut ? [`only the first ${read.length} characters were read`] : []
  return { page, html: { tree, facts, read }, challenge, warnings }
}
