/** Tables and definition lists of a page: pairs of a label and a value, and tables with a row of headers. */

import { spanOf } from '@tidemark/html/tree/cell-span'
import { lettersOf } from '@tidemark/html/tree/letters-of'
import { textOf } from '@tidemark/html/tree/text-of'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'
import { TableColumns } from './table-columns.ts'

export type Pair = { value: string; where: string }
export type HeadedTable = { headers: string[]; rows: string[][]; where: string }
export type KeyValues = { pairs: ReadonlyMap<string, Pair>; tables: readonly HeadedTable[] }

const limits = { pairs: 2_000, tables: 200, rows: 1_000, columns: 50, cells: 50_000, label: 100 }

/**
 * An open row or description. It is layout if it contains tables or lists. Reading layout would take quadratic time.
 */
type Open = { element: Element; isLayout: boolean }

/** A table whose rows are read. `headerCells` is the number of cells that its headers have. */
type OpenTable = { headed: HeadedTable | null; headerCells: number; columns: TableColumns }

const rowGroups: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot'])

/** Reads every cell at most once. */
export function readKeyValues(tree: Document): KeyValues {
  const reader = new Reader()
  walk(tree, reader)
  return { pairs: reader.pairs, tables: reader.tables.filter(({ rows }) => rows.length > 0) }
}

class Reader {
  readonly pairs = new Map<string, Pair>()
  readonly tables: HeadedTable[] = []
  readonly #open: Open[] = []
  readonly #inTables: OpenTable[] = []
  #term: string | null = null
  #cellsLeft = limits.cells

  readonly enter = (element: Element): boolean => {
    const { name } = element
    if (name === 'table' || name === 'dl') this.#markOpen()
    if (name === 'table') this.#inTables.push({ headed: null, headerCells: 0, columns: new TableColumns() })
    if (rowGroups.has(name)) this.#inTables.at(-1)?.columns.endRowGroup()
    if (name === 'tr' || name === 'dd' || name === 'dt') this.#open.push({ element, isLayout: false })
    return true
  }

  readonly leave = (element: Element): void => {
    if (element.name === 'table') this.#inTables.pop()
    if (rowGroups.has(element.name)) this.#inTables.at(-1)?.columns.endRowGroup()
    if (this.#open.at(-1)?.element !== element) return
    const { isLayout } = this.#open.pop() as Open
    if (isLayout || this.#cellsLeft <= 0) {
      if (element.name === 'tr') this.#inTables.at(-1)?.columns.skipRow()
      return
    }
    if (element.name === 'tr') this.#row(element)
    else if (element.name === 'dt') this.#term = this.#text(element)
    else if (this.#term !== null) {
      this.#pair(this.#term, this.#text(element), 'dl')
      this.#term = null
    }
  }

  /** Marks the open rows as layout. If one is marked, all around it are marked, too. */
  #markOpen(): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const open = this.#open[at] as Open
      if (open.isLayout) return
      open.isLayout = true
    }
  }

  #row(row: Element): void {
    const cells = row.children.filter(
      (child): child is Element => child.type === 'tag' && (child.name === 'th' || child.name === 'td'),
    )
    const table = this.#inTables.at(-1)
    const isSpanned = table?.columns.isSpanned === true
    if (cells.length === 0 || cells.length > limits.columns) table?.columns.skipRow()
    if (cells.length === 0 || cells.length > limits.columns || (cells.length < 2 && !isSpanned)) return
    const texts = cells.map(cell => this.#text(cell))
    const columns = table?.columns.of(cells, texts) ?? texts
    this.#cellsLeft -= Math.max(0, columns.length - cells.length)
    const isSecond = isSpanned && table?.headed?.rows.length === 0
    if ((cells.length > 1 || isSecond) && cells.every(({ name }) => name === 'th'))
      this.#begin(columns, cells)
    else if (table?.headed && columns.length === table.headed.headers.length && !isTotal(cells, table)) {
      if (table.headed.rows.length < limits.rows) table.headed.rows.push(columns)
    } else if (texts.length === 2) this.#pair(texts[0] ?? '', texts[1] ?? '', 'table')
  }

  /** Begins a table. A second row of headers replaces the names of the columns that no cell above spans. */
  #begin(columns: string[], cells: readonly Element[]): void {
    const table = this.#inTables.at(-1)
    if (table === undefined) return
    const own = cells.reduce((sum, cell) => sum + spanOf(cell).columns, 0)
    const headers = columns.map(lettersOf)
    if (table.headed?.rows.length === 0) table.headed.headers = headers
    else if (this.tables.length < limits.tables) {
      table.headed = { headers, rows: [], where: `table[${this.tables.length}]` }
      this.tables.push(table.headed)
    } else return
    table.headerCells = cells.length + Math.max(0, columns.length - own)
  }

  #pair(label: string, value: string, kind: 'table' | 'dl'): void {
    const name = lettersOf(label.slice(0, limits.label))
    if (name === '' || value === '' || this.pairs.has(name) || this.pairs.size === limits.pairs) return
    this.pairs.set(name, { value, where: `${kind}: ${label.slice(0, limits.label).toWellFormed()}` })
  }

  #text(element: Element): string {
    this.#cellsLeft--
    return textOf(element)
  }
}

/** Returns whether a row has a label and one value, and one of them spans several columns, such as a total. */
const isTotal = (cells: readonly Element[], { headerCells }: OpenTable): boolean =>
  cells.length === 2 && headerCells !== 2 && cells.some(cell => spanOf(cell).columns > 1)
