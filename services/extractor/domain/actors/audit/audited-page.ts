/** The input of the audit's rules. Values that several rules need are computed once. */

import type { PageFacts } from '@tidemark/html/page-facts'
import { baseOf } from '@tidemark/html/tree/base-of'
import { bufferOf } from '../../buffer-of.ts'
import { isScriptShell } from '../../script-shell.ts'
import type { PageToSee, SeenPage } from '../seen-page.ts'
import { type Alternate, alternatesIn } from './alternates.ts'
import type { AuditContext } from './context.ts'
import { type Directive, directivesOf, mayBeIndexed } from './directives.ts'
import { PageIndex } from './page-index.ts'
import { type StructuredData, structuredDataIn } from './structured-data.ts'

/** A response of any type. */
export type AuditedResponse = {
  page: PageToSee
  url: URL
  context: AuditContext
  /** Size after decompression. */
  bytes: number
  isHtml: boolean
}

/** An HTML page. */
export type AuditedPage = AuditedResponse & {
  facts: PageFacts
  index: PageIndex
  /** The HTML up to the read limit. */
  source: string
  /** Whether the HTML exceeds the read limit, so that missing elements may follow beyond it. */
  isCut: boolean
  /** The base URL for relative URLs in the page. */
  base: string
  directives: Directive[]
  /** The alternates in the head, where search engines read them. */
  alternates: Alternate[]
  alternatesInBody: Alternate[]
  isIndexed: boolean
  /** Whether the page shows no text before its scripts have run. */
  isShell: boolean
  structured: StructuredData
}

export const auditedResponse = ({ page, html }: SeenPage, context: AuditContext): AuditedResponse => ({
  page,
  url: new URL(page.url),
  context,
  bytes: page.body.byteLength,
  isHtml: html !== null,
})

export function auditedPage(
  response: AuditedResponse,
  { page, html, warnings }: SeenPage,
): AuditedPage | null {
  if (html === null) return null
  const { facts, tree, read: source } = html
  const directives = directivesOf(facts, page.headers['x-robots-tag'] ?? null)
  const body = bufferOf(page.body)
  const index = new PageIndex(tree)
  const base = baseOf(tree, page.url)
  const alternates = alternatesIn(index, base)
  return {
    ...response,
    facts,
    index,
    source,
    isCut: warnings.length > 0,
    base,
    directives,
    alternates: alternates.filter(({ isInHead }) => isInHead),
    alternatesInBody: alternates.filter(({ isInHead }) => !isInHead),
    isIndexed: mayBeIndexed(directives),
    isShell: isScriptShell({ body, words: facts.text.words }),
    structured: structuredDataIn(tree, page.url),
  }
}
