/** A table while it is read: its cells in their columns, and the resulting lines (GFM, 4.10). */
import type { Element } from 'domhandler'
import type { Span } from '../tree/cell-span.ts'

export type Alignment = 'left' | 'center' | 'right' | null

const delimiters = { left: ':--', center: ':-:', right: '--:' } as const
/**
 * Matches a cell with only an image. In a table without a header row the image is an icon beside a note and labels no
 * rows. So the cell is written only in the first of the rows that it spans.
 */
const icon = /^!\[(?:\\.|[^\]\\])*\]\(\S+\)$/
/** Empty cells that spans of a page may add, at first and for each cell, so that huge spans cost little. */
const allowed = { first: 1000, each: 8 }

/** Remaining number of empty cells that spans may add to the tables of a page. */
export class SpanAllowance {
  left = allowed.first
}

type Row = {
  cells: string[]
  /** The column after the last cell. */
  end: number
  isHeader: boolean
}

export class TableState {
  readonly element: Element
  readonly #rows: Row[] = []
  readonly #alignments: Alignment[] = []
  /** For each column, the number of the first row into which no cell from above extends. */
  readonly #freeFrom: number[] = []
  readonly #allowance: SpanAllowance
  #hasHeader = false

  constructor(element: Element, allowance: SpanAllowance) {
    this.element = element
    this.#allowance = allowance
  }

  beginRow(isHeader: boolean): void {
    this.#rows.push({ cells: [], end: 0, isHeader })
    this.#hasHeader ||= isHeader
  }

  /** Ends the cells that extend into further rows, because no cell leaves its row group. */
  endRowGroup(): void {
    this.#freeFrom.length = 0
  }

  /** Adds a cell after those of its row and those that extend into its row (WHATWG HTML, 4.9.12). */
  addCell(text: string, { columns, rows }: Span, alignment: Alignment): void {
    if (this.#rows.length === 0) this.beginRow(false)
    const row = this.#rows.at(-1) as Row
    this.#allowance.left += allowed.each
    this.#skipTaken(row)
    const column = row.cells.length
    this.#alignments[column] ??= alignment
    row.cells.push(text)
    row.end = column + columns
    if (rows === 1 || (!this.#hasHeader && icon.test(text))) return
    this.#take(column, row.end, this.#rows.length - 1 + rows)
  }

  /** Returns the lines of the table, or the empty string without text. */
  close(): string {
    const rows = this.#rows.map(row => ({ ...row, cells: trimmed(row.cells) }))
    const filled = rows.filter(({ cells }) => cells.length > 0)
    const first = filled[0]
    if (first === undefined) return ''
    const columns = this.#rows.reduce((max, { cells }) => Math.max(max, cells.length), 1)
    const header = first.isHeader ? first.cells : []
    const body = first.isHeader ? filled.slice(1) : filled
    const padded = Array.from({ length: columns }, (_, at) => header[at] ?? '')
    const lines = [line(padded), this.#delimiterRow(padded.length), ...body.map(({ cells }) => line(cells))]
    return lines.join('\n')
  }

  #delimiterRow(columns: number): string {
    const cells = Array.from({ length: columns }, (_, at) => {
      const alignment = this.#alignments[at] ?? null
      return alignment === null ? '---' : delimiters[alignment]
    })
    return line(cells)
  }

  /** Adds empty cells up to the next free column. They are only written in front of a further cell. */
  #skipTaken({ cells, end }: Row): void {
    const row = this.#rows.length - 1
    while (this.#allowance.left > 0 && (cells.length < end || (this.#freeFrom[cells.length] ?? 0) > row)) {
      this.#allowance.left -= 1
      cells.push('')
    }
  }

  /** Occupies columns until a row. A longer cell that overlaps stays. */
  #take(from: number, end: number, row: number): void {
    for (let at = from; at < end; at++) this.#freeFrom[at] = Math.max(this.#freeFrom[at] ?? 0, row)
  }
}

const line = (cells: readonly string[]): string => `| ${cells.map(cell => cell || ' ').join(' | ')} |`

/** Returns the cells without the empty ones at the end. */
function trimmed(cells: readonly string[]): string[] {
  let length = cells.length
  while (length > 0 && cells[length - 1] === '') length -= 1
  return cells.slice(0, length)
}
