/** A page as actors read it: facts and tree from one parse, and the challenge if the page is one. */

import { mediaTypeOf } from '@tidemark/html/media-type'
import type { PageFacts } from '@tidemark/html/page-facts'
import type { Document } from 'domhandler'
import { challengeIn, openPage } from '../content.ts'
import type { ContentRequest } from '../content-request.ts'

/** As sent; `body` is decoded. */
export type PageToSee = Omit<ContentRequest, 'wanted'>

export type SeenPage = {
  page: PageToSee
  /** Null for content other than HTML. */
  html: { tree: Document; facts: PageFacts; read: string } | null
  /** The vendor of the challenge. */
  challenge: string | null
  warnings: string[]
}

/** The text is requested only so that the page has a tree. */
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
    const kind = mediaTypeOf(page.contentType, page.body) || 'of no stated type'
    return { page, html: null, challenge, warnings: [`the document is ${kind}, not HTML`] }
  }
  const { tree, facts, read, whole } = html
  const isCut = read.length < whole.length
  const warnings = isCut ? [`only the first ${read.length} characters were read`] : []
  return { page, html: { tree, facts, read }, challenge, warnings }
}
