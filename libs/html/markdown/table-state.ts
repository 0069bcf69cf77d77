/** A table while it is read: its cells in their columns, and the resulting lines (GFM, 4.10). */
import type { Element } from 'domhandler'

export type Alignment = 'left' | 'center' | 'right' | null

const delimiters = { left: ':--', center: ':-:', right: '--:' } as const
const maxColumns = 1000

export class TableState {
  readonly element: Element
  readonly #rows: { cells: string[]; isHeader: boolean }[] = []
  readonly #alignments: Alignment[] = []
  /** Number of further rows in which a cell from above occupies each column. */
  readonly #spannedRows: number[] = []
  /** Remaining number of empty cells for spanning cells. */
  #allowance = 1000

  constructor(element: Element) {
    this.element = element
  }

  beginRow(isHeader: boolean): void {
    this.#rows.push({ cells: [], isHeader })
  }

  /** Adds a cell after those that extend into its row from above. */
  addCell(text: string, columns: number, rows: number, alignment: Alignment): void {
    if (this.#rows.length === 0) this.beginRow(false)
    const cells = (this.#rows.at(-1) as { cells: string[] }).cells
    this.#skipTaken(cells)
    this.#allowance += 2
    this.#alignments[cells.length] ??= alignment
    // A cell without text labels nothing, so it does not extend into further rows.
    const reach = text === '' || text.startsWith('![') ? 1 : rows
    this.#take(cells.length, reach)
    cells.push(text)
    for (let more = 1; more < columns && this.#allowance > 0; more++) {
      this.#take(cells.length, reach)
      this.#fill(cells)
    }
  }

  /** Returns the lines of the table, or the empty string without text. */
  close(): string {
    const rows = this.#rows.map(row => ({ ...row, cells: trimmed(row.cells).slice(0, maxColumns) }))
    const filled = rows.filter(({ cells }) => cells.length > 0)
    const first = filled[0]
    if (first === undefined) return ''
    const columns = this.#rows.reduce((most, { cells }) => Math.max(most, cells.length), 1)
    const header = first.isHeader ? first.cells : []
    const body = first.isHeader ? filled.slice(1) : filled
    const padded = Array.from({ length: Math.min(columns, maxColumns) }, (_, at) => header[at] ?? '')
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

  #skipTaken(cells: string[]): void {
    while ((this.#spannedRows[cells.length] ?? 0) > 0 && this.#allowance > 0) {
      this.#spannedRows[cells.length] = (this.#spannedRows[cells.length] as number) - 1
      this.#fill(cells)
    }
  }

  #take(column: number, rows: number): void {
    if (column < maxColumns) this.#spannedRows[column] = rows - 1
  }

  #fill(cells: string[]): void {
    this.#allowance -= 1
    cells.push('')
  }
}

const line = (cells: readonly string[]): string => `| ${cells.map(cell => cell || ' ').join(' | ')} |`

/** Returns the cells without the empty ones at the end. */
function trimmed(cells: readonly string[]): string[] {
  let length = cells.length
  while (length > 0 && cells[length - 1] === '') length -= 1
  return cells.slice(0, length)
}
