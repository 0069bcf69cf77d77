/** Fits the element with the text to tabs, tables and pages without prose: all panels are parts of a text, and cells of a layout are not. */
import { BlockSum } from './block-sum.ts'
import { isMainElement } from './element-kinds.ts'
import type { Outline } from './outline.ts'
import { proseOf, type Reading } from './reading.ts'

/** Returns the element around all panels of tabs, the cell of a layout that has nearly all prose, or the element itself. */
export const fitted = (chosen: number, reading: Reading): number =>
  cellIn(aroundPanels(chosen, reading), reading)

/** Returns the element around the panels of tabs if one of them has the text, because all are parts of it. */
function aroundPanels(chosen: number, { page: { elements, parents } }: Reading): number {
  let panel = chosen
  while (panel >= 0 && elements[panel]?.attribs.role !== 'tabpanel') panel = parents[panel] ?? -1
  const parent = parents[panel] ?? -1
  const isOther = (at: number) =>
    at !== panel && parents[at] === parent && elements[at]?.attribs.role === 'tabpanel'
  return parent >= 0 && elements.some((_, at) => isOther(at)) ? parent : chosen
}

const partsOfTable = new Set(['table', 'tbody', 'tr'])
const nearlyAll = 0.75
/** Minimum blocks of prose in a cell of a layout. A cell of data has fewer. */
const minBlocks = 2

/** Returns the cell with nearly all prose of the chosen table, which only lays out the page; else the chosen element. */
function cellIn(chosen: number, { page, prose }: Reading): number {
  const { elements, ends, blocks, firstBlock, lastBlock } = page
  if (!partsOfTable.has(elements[chosen]?.name ?? '')) return chosen
  const min = prose.of(chosen) * nearlyAll
  for (let at = chosen + 1; at < (ends[chosen] ?? 0); at++) {
    if (elements[at]?.name !== 'td' || prose.of(at) < min) continue
    const full = blocks.slice(firstBlock[at], lastBlock[at]).filter(block => proseOf(block) > 0)
    if (full.length >= minBlocks) return at
  }
  return chosen
}

/**
 * Returns the chosen element if it has prose, or most of the text of the page outside of links and boilerplate. On
 * other pages one heading or line gains most, so the only main element or else the only article has the text.
 * @param chosen Position of the element, or -1.
 * @param marked 1 for boilerplate.
 */
export function withText(
  chosen: number,
  { page, pageKind, isManual, prose }: Reading,
  marked: Uint8Array,
): number {
  if (pageKind !== 'article' || isManual || prose.of(chosen) > 0) return chosen
  const around = onlyContent(page)
  const text = new BlockSum(page, ({ element, size, linked }) => (marked[element] === 1 ? 0 : size - linked))
  return around >= 0 && text.of(around) > text.of(chosen) * muchMore ? around : chosen
}

const muchMore = 2

/** Returns the only main element, or else the only article, or -1. */
function onlyContent({ elements }: Outline): number {
  for (const isContent of [isMainElement, ({ name }: { name: string }) => name === 'article']) {
    const [first, other] = elements.flatMap((element, at) => (isContent(element) ? [at] : []))
    if (first !== undefined && other === undefined) return first
  }
  return -1
}
