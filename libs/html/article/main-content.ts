/**
 * Selects the main content of a page of any kind for a writer that reads the page's own tree, so that code, tables,
 * notes and figures are written as they are in the page.
 */
import type { Document, Element } from 'domhandler'
import { findFootnotes, noteIdOf } from '../tree/footnotes.ts'
import { isShadowRoot } from '../tree/hidden.ts'
import { rootOf } from '../tree/walk.ts'
import { type Choice, chosen, keepsText } from './chosen.ts'
import { headings, unread } from './element-kinds.ts'
import { lostHeadline } from './facts/lost-headline.ts'
import { kindsOfFrame } from './pruning/manual-parts.ts'
import { losesProducts } from './pruning/products.ts'
import { isBoilerplate, type Reading } from './reading.ts'
import { isSpokenInstead } from './visibility.ts'

/** Filters for `writeMarkdown`. */
export type MainContent = {
  omit: (element: Element) => boolean
  /** Whether an element is only around the content. */
  isAround?: (element: Element) => boolean
  /** Hidden panels of tabs are content. */
  withPanels?: true
}

/**
 * Selects the content of a page: its article with the headline, else the links in its place, else the page without
 * its frame.
 * @param document The whole page from `parseTree`, which is not changed.
 * @param url Address of the page.
 */
export const mainContent = (document: Document, url: string): MainContent =>
  mainContentOf(chosen(document, url))

/** Returns the main content of a page whose content has been chosen already. */
export function mainContentOf(choice: Choice): MainContent {
  const { reading } = choice
  const kept = new Set(choice.kept)
  const { elements, parents, ends } = reading.page
  if (choice.container < 0 || losesProducts(choice)) return withoutFrame(reading)
  if (!keepsText(choice)) {
    // Only links are left, as in a portal.
    for (const element of elements.slice(choice.container, choice.to)) kept.add(element)
    if (!keepsText({ kept, reading })) return withoutFrame(reading)
  }
  const heads = [...headOf(choice), ...sectionsLikeTitle(choice)]
  const added = [...heads, ...footnotesOf(choice)]
  for (const at of added) for (const element of elements.slice(at, ends[at])) kept.add(element)
  const around = new Set<Element>()
  const begins = [choice.container, ...added, ...choice.leads]
  for (const begin of begins) {
    for (let at = parents[begin] ?? -1; at >= 0; at = parents[at] ?? -1) around.add(elements[at] as Element)
  }
  for (const element of kept) around.delete(element)
  // Controls within the content have rules of their own, and so has text for screen readers.
  const hasOwnRule = (element: Element) =>
    kept.has(element.parent as Element) &&
    ((unread.has(element.name) && !isShadowRoot(element)) || isSpokenInstead(element))
  return {
    withPanels: true,
    omit: element => !kept.has(element) && !around.has(element) && !hasOwnRule(element),
    ...(around.size > 0 && { isAround: element => around.has(element) }),
  }
}

/** Returns the references in the text whose notes Markdown has, and the footnotes that they lead to. */
function footnotesOf({ pruned, kept, reading: { page } }: Choice): number[] {
  const { elements, parents } = page
  const dropped = [...pruned.reasons].flatMap(([at, reason]) => (reason === 'reference' ? [at] : []))
  const [first] = elements
  if (dropped.length === 0 || first === undefined) return []
  const visible = new Set(elements)
  const { references, notes } = findFootnotes(rootOf(first), element => !visible.has(element))
  const ids = new Set([...kept].map(({ attribs }) => attribs.id))
  const labels = new Set<string>()
  const found: number[] = []
  for (const at of dropped) {
    const parent = elements[parents[at] ?? -1]
    if (parent !== undefined && !kept.has(parent)) continue
    const element = elements[at] as Element
    const label = references.get(element)
    const id = noteIdOf(element)
    if (label !== undefined) labels.add(label)
    if (label !== undefined || (id !== null && ids.has(id))) found.push(at)
  }
  for (const [at, element] of elements.entries()) if (labels.has(notes.get(element) ?? '')) found.push(at)
  return found
}

/** Selects the page without its navigation, forms and footer; if nothing is left, the whole page. */
function withoutFrame({ page: { elements, parents, blocks }, kinds }: Reading): MainContent {
  const framed = new Uint8Array(elements.length)
  const frame = new Set<Element>()
  for (const [at, element] of elements.entries()) {
    const kind = kinds[at]
    if (framed[parents[at] ?? -1] !== 1 && (kind == null || !kindsOfFrame.has(kind))) continue
    framed[at] = 1
    frame.add(element)
  }
  const isEmpty = blocks.every(({ element }) => framed[element] === 1)
  return { omit: element => !isEmpty && frame.has(element) }
}

/** Returns headings of the first level in the text that resemble the title, because each begins a section. */
const sectionsLikeTitle = ({ pruned, reading: { page } }: Choice): number[] =>
  [...pruned.reasons].flatMap(([at, reason]) =>
    reason === 'headline' && page.elements[at]?.name === 'h1' ? [at] : [],
  )

/** Returns the elements of the headline, and in a manual also the lines between it and the text. */
function headOf(choice: Choice): number[] {
  const headline = lostHeadline(choice)
  if (headline < 0 || hasOwnHeadline(choice)) return []
  return choice.reading.isManual ? [headline, ...beneath(choice, headline)] : [headline]
}

/**
 * Returns whether the text of a manual begins with the heading that begins the title. A heading above it names the
 * manual.
 */
function hasOwnHeadline({ facts, reading, container, pruned }: Choice): boolean {
  const { elements, blocks, firstBlock } = reading.page
  const first = blocks[firstBlock[container] ?? 0]
  if (!reading.isManual || first === undefined || pruned.dropped[first.element] === 1) return false
  const text = first.text.replace(/(?<![\s¶#§])[\s¶#§]+$/, '')
  return headings.has(elements[first.element]?.name ?? '') && text !== '' && facts.title.startsWith(text)
}

/** Maximum number of blocks between a headline and the text of a manual. */
const maxBeneath = 12

/** Returns the elements right beneath a headline before the text, without boilerplate and links. */
function beneath({ reading, container }: Choice, headline: number): number[] {
  const { page, prose } = reading
  const { blocks, elements, parents, firstBlock, lastBlock } = page
  const from = lastBlock[headline] ?? 0
  const to = firstBlock[container] ?? 0
  if (to <= from || to - from > maxBeneath) return []
  const found: number[] = []
  for (const { element, linked, size } of blocks.slice(from, to)) {
    const isText = headings.has(elements[element]?.name ?? '') || elements[element]?.name === 'p'
    if (!isText || linked > size / 2) continue
    let isPart = true
    for (let at = element; at >= 0 && isPart; at = parents[at] ?? -1) {
      isPart = !isBoilerplate(reading, at, prose.whole)
    }
    if (isPart) found.push(element)
  }
  return found
}
