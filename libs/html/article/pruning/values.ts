/** Recognizes values: lines in tables, definitions, code and lists that read like labels of the site. */
import type { Element } from 'domhandler'
import { tableKindOf } from '../../tree/table-kind.ts'
import type { Block } from '../outline.ts'
import type { Reading } from '../reading.ts'
import { isNumber, standing } from '../standing-texts.ts'

/** Elements with values. In a forum, definitions describe the author of a post. */
const cells = new Set(['td', 'th', 'dt', 'dd'])
/** The same elements of WAI-ARIA 1.2. GitBook writes its tables with them. */
const rolesOfCells = new Set(['cell', 'gridcell', 'rowheader', 'columnheader'])
const cellsOfForum = new Set(['td', 'th', 'dt'])
/** Maximum blocks of a cell with a value. A cell with more blocks lays out the page. */
const maxBlocksOfCell = 3

/** Minimum words of a line with a colon at its end that announces a value. A shorter line is the label of a count. */
const minWordsOfAnnouncement = 3

export class ValueDetector {
  readonly #reading: Reading
  /** Whether the lists read so far have values, by element. */
  readonly #lists = new Map<number, boolean>()
  /** Whether the tables read so far have data with headers, by element. */
  readonly #tables = new Map<number, boolean>()

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Returns whether a line that reads like a label is a value. */
  isValue(element: number, block: Block): boolean {
    return (
      this.#isInCell(element) || (isShort(block) && (this.#isItem(element) || this.#isAnnounced(element)))
    )
  }

  /** Returns whether an element is within a cell of the nearest table, and that table has data and several headers. */
  isInTable(element: number): boolean {
    const { elements, parents } = this.#reading.page
    let table = element
    let isInCell = false
    for (; table >= 0 && elements[table]?.name !== 'table'; table = parents[table] ?? -1)
      isInCell ||= elements[table]?.name === 'td'
    return isInCell && this.#hasData(table)
  }

  #hasData(table: number): boolean {
    const { elements, ends } = this.#reading.page
    let hasData = this.#tables.get(table)
    if (hasData === undefined && table >= 0) {
      const inside = elements.slice(table, ends[table])
      hasData =
        inside.filter(({ name }) => name === 'th').length > 1 &&
        tableKindOf(elements[table] as Element, () => true) === 'data'
      this.#tables.set(table, hasData)
    }
    return hasData ?? false
  }

  #isInCell(element: number): boolean {
    const { page, pageKind } = this.#reading
    const { elements, parents, firstBlock, lastBlock } = page
    const isForum = pageKind === 'forum'
    for (let at = element; at >= 0; at = parents[at] ?? -1) {
      const { name = '', attribs = {} } = elements[at] ?? {}
      if (name === 'pre') return true
      if (!cells.has(name) && (isForum || !rolesOfCells.has(attribs.role ?? ''))) continue
      if (isForum) return at === element && cellsOfForum.has(name)
      return (lastBlock[at] ?? 0) - (firstBlock[at] ?? 0) <= maxBlocksOfCell
    }
    return false
  }

  /** Returns whether a line is the only one of its item, in a list with values. */
  #isItem(element: number): boolean {
    const { elements, parents, firstBlock, lastBlock } = this.#reading.page
    let item = element
    while (elements[item]?.name !== 'li') {
      item = parents[item] ?? -1
      if (item < 0 || (lastBlock[item] ?? 0) - (firstBlock[item] ?? 0) > 1) return false
    }
    const list = parents[item] ?? -1
    let hasValues = this.#lists.get(list)
    if (hasValues === undefined) {
      hasValues = this.#hasValues(list)
      this.#lists.set(list, hasValues)
    }
    return hasValues
  }

  /** Returns whether at least half of the items of a list are neither links nor labels of the site. */
  #hasValues(list: number): boolean {
    const { ends, blocks, firstBlock, lastBlock } = this.#reading.page
    let items = 0
    let labels = 0
    for (let at = list + 1; at < (ends[list] ?? 0); at = ends[at] ?? at + 1) {
      const block = blocks[firstBlock[at] ?? 0]
      const count = (lastBlock[at] ?? 0) - (firstBlock[at] ?? 0)
      if (block === undefined || count < 1) continue
      items += 1
      if (block.linked > 0 || (count === 1 && isLabel(block))) labels += 1
    }
    return labels <= items / 2
  }

  /** Returns whether a paragraph follows another that announces it. */
  #isAnnounced(element: number): boolean {
    const { elements, parents, firstBlock, blocks } = this.#reading.page
    const before = blocks[(firstBlock[element] ?? 0) - 1]
    if (before === undefined || elements[element]?.name !== 'p') return false
    if (elements[before.element]?.name !== 'p' || parents[before.element] !== parents[element]) return false
    return before.words >= minWordsOfAnnouncement && /[:：]$/.test(before.text)
  }
}

/** Returns whether a block is a number or one word outside of links. */
const isShort = ({ text, linked }: Block): boolean => linked === 0 && (isNumber(text) || !/\s/.test(text))

const isLabel = ({ text }: Block): boolean =>
  text.length <= maxLabelLength && !isNumber(text) && standing.test(text)
const maxLabelLength = 100
