/** The parts of a manual that look like boilerplate but belong to its text, and its lists of contents. */
import type { Element } from 'domhandler'
import { textOf } from '../../tree/text-of.ts'
import type { BoilerplateKind } from '../boilerplate-words.ts'
import type { Outline } from '../outline.ts'
import type { Reading } from '../reading.ts'

/** Boilerplate around the text of a page, not within it. */
export const kindsOfFrame: ReadonlySet<BoilerplateKind> = new Set([
  ...(['navigation', 'footer', 'share', 'newsletter', 'consent', 'overlay', 'sidebar', 'form'] as const),
  ...(['comments', 'advertising', 'policy'] as const),
])

/**
 * Returns whether a manual has the element in its text. Its parts are named after their subjects: options to print,
 * sources, dates, related pages. Only names of the frame around the text count there.
 */
export const isPartOfManual = (element: number, { isManual, kinds }: Reading): boolean =>
  isManual && !kindsOfFrame.has(kinds[element] ?? 'meta')

/** Labels of boxes in manuals that are also headings of links in articles. */
const boxLabel = /^(?:see also|related|contents)\s*:?$/i

/** Returns whether a line of a manual is the label of a box or a cell of a table, not a label of the site. */
export const isLabelOfManual = (element: number, text: string, { isManual, page }: Reading): boolean =>
  isManual && (boxLabel.test(text) || isInCell(element, page))

/** A table of contents is in the first third of the text and has at least this number of links. */
const contents = { until: 1 / 3, minLinks: 3 } as const

/**
 * Returns whether a list of links is a table of contents, so that all of them lead within the page.
 * @param position Share of the text before the list.
 */
export function isTableOfContents(element: number, links: number, position: number, page: Outline): boolean {
  if (position >= contents.until || links < contents.minLinks || isInCell(element, page)) return false
  for (let at = element; at < (page.ends[element] ?? 0); at++) {
    const { name, attribs } = page.elements[at] as Element
    if (name === 'a' && !attribs.href?.startsWith('#')) return false
  }
  return true
}

/** Links to the pages before and after, each with its direction before or behind the title of the page. */
const direction = /^(?:[Pp]rev(?:ious)?|PREV(?:IOUS)?|[Nn]ext|NEXT)(?!\p{Ll})|(?:Previous|Next)$/u
const maxElementsOfPager = 30

/** Returns whether all links of an element lead to the page before or after this one. */
export function isPager(element: number, { elements, ends }: Outline): boolean {
  const end = ends[element] ?? 0
  if (end - element > maxElementsOfPager) return false
  const links = elements.slice(element, end).filter(({ name }) => name === 'a')
  return links.length > 0 && links.length <= 2 && links.every(link => direction.test(textOf(link)))
}

function isInCell(element: number, { elements, parents }: Outline): boolean {
  for (let at = element; at >= 0; at = parents[at] ?? -1) if (elements[at]?.name === 'td') return true
  return false
}
