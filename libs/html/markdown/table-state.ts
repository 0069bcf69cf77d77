/** A table while it is read: its cells in their columns, and the lines they make (GFM, 4.10). */
import type { Element } from 'domhandler'

export type Alignment = 'left' | 'center' | 'right' | null

const delimiters = { left: ':--', center: ':-:', right: '--:' } as const
const maxColumns = 1000

export class TableState {
  readonly element: Element
  readonly #rows: { cells: string[]; isHeader: boolean }[] = []
  readonly #alignments: Alignment[] = []
  /** In how many rows more each column is taken by a cell from above. */
  readonly #taken: number[] = []
  /** Cells that span cost empty ones; how many more there may be. */
  #allowance = 1000

  constructor(element: Element) {
    this.element = element
  }

  beginRow(isHeader: boolean): void {
    this.#rows.push({ cells: [], isHeader })
  }

  /** Adds a cell, behind those that reach into its row from above. */
  addCell(text: string, columns: number, rows: number, alignment: Alignment): void {
    if (this.#rows.length === 0) this.beginRow(false)
    const cells = (this.#rows.at(-1) as { cells: string[] }).cells
    this.#skipTaken(cells)
    this.#allowance += 2
    this.#alignments[cells.length] ??= alignment
    // One without text labels nothing, so no place is kept for it.
    const reach = text === '' || text.startsWith('![') ? 1 : rows
    this.#take(cells.length, reach)
    cells.push(text)
    for (let more = 1; more < columns && this.#allowance > 0; more++) {
      this.#take(cells.length, reach)
      this.#fill(cells)
    }
  }

  /** The lines of the table; the empty string when it has no text. */
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
    while ((this.#taken[cells.length] ?? 0) > 0 && this.#allowance > 0) {
      this.#taken[cells.length] = (this.#taken[cells.length] as number) - 1
      this.#fill(cells)
    }
  }

  #take(column: number, rows: number): void {
    if (column < maxColumns) this.#taken[column] = rows - 1
  }

  #fill(cells: string[]): void {
    this.#allowance -= 1
    cells.push('')
  }
}

const line = (cells: readonly string[]): string => `| ${cells.map(cell => cell || ' ').join(' | ')} |`

/** Without the empty cells at the end, which need not be written. */
function trimmed(cells: readonly string[]): string[] {
  let length = cells.length
  while (length > 0 && cells[length - 1] === '') length -= 1
  return cells.slice(0, length)
}
