/** What the rules of the audit look at. All that several of them need is worked out once. */
import type { PageFacts } from '@tidemark/html/page-facts'
import { baseOf } from '@tidemark/html/tree/base-of'
import { isScriptShell } from '../../script-shell.ts'
import type { PageToSee, SeenPage } from '../seen-page.ts'
import { type Alternate, alternatesIn } from './alternates.ts'
import type { AuditContext } from './context.ts'
import { type Described, describedIn } from './described.ts'
import { type Directive, directivesOf, mayBeIndexed } from './directives.ts'
import { PageIndex } from './page-index.ts'

/** An answer, whatever it is. */
export type Answered = {
  page: PageToSee
  url: URL
  context: AuditContext
  /** Decoded. */
  bytes: number
  isHtml: boolean
}

/** A page of HTML. */
export type AuditedPage = Answered & {
  facts: PageFacts
  index: PageIndex
  /** The HTML as far as it was read. */
  source: string
  /** Whether it goes on beyond that: what seems to be missing may come later. */
  isCut: boolean
  /** What addresses in the page are relative to. */
  base: string
  directives: Directive[]
  alternates: Alternate[]
  isIndexed: boolean
  /** Whether there is nothing to read before its scripts have run. */
  isShell: boolean
  structured: Described
}

export const answerOf = ({ page, html }: SeenPage, context: AuditContext): Answered => ({
  page,
  url: new URL(page.url),
  context,
  bytes: page.body.byteLength,
  isHtml: html !== null,
})

export function auditedPage(answer: Answered, { page, html, warnings }: SeenPage): AuditedPage | null {
  if (html === null) return null
  const { facts, tree, read: source } = html
  const directives = directivesOf(facts, page.headers['x-robots-tag'] ?? null)
  const body = Buffer.from(page.body.buffer, page.body.byteOffset, page.body.byteLength)
  const index = new PageIndex(tree)
  const base = baseOf(tree, page.url)
  return {
    ...answer,
    facts,
    index,
    source,
    isCut: warnings.length > 0,
    base,
    directives,
    alternates: alternatesIn(index, base),
    isIndexed: mayBeIndexed(directives),
    isShell: isScriptShell({ body, words: facts.text.words }),
    structured: describedIn(tree, page.url),
  }
}
