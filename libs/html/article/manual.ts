/** Recognizes pages of manuals: reference pages and guides, which consist of sections, code, tables and definitions. */
import type { Element } from 'domhandler'
import { lettersOf } from '../tree/letters-of.ts'
import { headings } from './element-kinds.ts'
import type { HeadFacts } from './facts/head-facts.ts'
import type { Outline } from './outline.ts'
import type { PageKind } from './page-kind.ts'

/** Minimum number of headings with a link to themselves, blocks of code, or lists of definitions. */
const minMarks = 2
/** Programs that write manuals name themselves in the page. */
const writers =
  /\b(?:sphinx|docutils|asciidoc(?:tor)?|docusaurus|mkdocs|docbook|doxygen|javadoc|jekyll docs|vitepress|mdbook|rustdoc|texi2any|makeinfo|hevea|gitbook|antora|pdoc|jsdoc|typedoc|yard|starlight|nextra|readme)\b/i

/** Returns whether a page is of a manual. A page that says it is an article never counts. */
export function isManual(page: Outline, kind: PageKind, { metas, described }: HeadFacts): boolean {
  if (kind !== 'article' || described.length > 0 || metas.has('article:published_time')) return false
  if (metas.get('og:type')?.toLowerCase() === 'article') return false
  return writers.test(metas.get('generator') ?? '') || countMarks(page) >= minMarks
}

/** Counts blocks of code, lists of definitions, and headings that link to themselves. One such link by a sign suffices. */
function countMarks(page: Outline): number {
  let marks = 0
  for (const [at, element] of page.elements.entries()) {
    if (element.name === 'pre' || element.name === 'dl') marks += 1
    else if (isOwnLink(element) && isInHeading(page, at)) marks += isSign(element) ? minMarks : 1
    if (marks >= minMarks) break
  }
  return marks
}

const isOwnLink = ({ name, attribs }: Element): boolean =>
  name === 'a' && attribs.href?.startsWith('#') === true && attribs.href.length > 1

const isInHeading = ({ elements, parents }: Outline, at: number): boolean => {
  const parent = parents[at] ?? -1
  return [parent, parents[parent] ?? -1].some(around => headings.has(elements[around]?.name ?? ''))
}

const isSign = ({ children: [child, other] }: Element): boolean =>
  child?.type === 'text' && other === undefined && /^\s*[¶#§]\s*$/.test(child.data)

/** Returns whether an element is the sign in a heading that links to the heading. */
export const isHeadingSign = (page: Outline, at: number): boolean => {
  const element = page.elements[at]
  return element !== undefined && isOwnLink(element) && isSign(element) && isInHeading(page, at)
}

/** Elements that may be the frame of a manual by their id. The ids of other elements are targets of links. */
const frames = new Set(['div', 'ul', 'ol', 'header', 'table'])

/**
 * Returns whether the id of an element in a manual is only the target of links. A section has the name of its subject,
 * for example `cookies` or `menu`.
 */
export function isTarget(page: Outline, at: number): boolean {
  const { name = '', attribs } = page.elements[at] ?? {}
  if (!frames.has(name) || /(?:^|\s)section(?:\s|$)/.test(attribs?.class ?? '')) return true
  const block = page.blocks[page.firstBlock[at] ?? 0]
  if (block === undefined || !headings.has(page.elements[block.element]?.name ?? '')) return false
  const heading = lettersOf(block.text)
  return heading !== '' && lettersOf(attribs?.id ?? '').endsWith(heading)
}
