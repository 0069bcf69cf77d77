/** Fits the element with the text to tabs and tables: all panels are parts of a text, and cells of a layout are not. */
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
/** A cell of data has fewer sentences in blocks of their own. */
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
