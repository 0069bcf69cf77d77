/** The columns of the rows of a table, with the cells that span several of them. */
import { spanOf } from '@tidemark/html/tree/cell-span'
import type { Element } from 'domhandler'

/** Columns that a row can have. Wider spans end here. */
const maxColumns = 50

/** A cell that extends into the next rows of its column. */
type Extended = { text: string; rows: number }

export class TableColumns {
  /** The cells by column. A cell without further rows has ended. */
  readonly #above: Extended[] = []

  /** Whether a cell extends into the next row. */
  get isSpanned(): boolean {
    return this.#above.some(({ rows }) => rows > 0)
  }

  /** Ends the cells that extend into further rows, because no cell leaves its row group. */
  endRowGroup(): void {
    this.#above.length = 0
  }

  /** Counts a row that is not read. */
  skipRow(): void {
    for (const cell of this.#above) cell.rows -= 1
  }

  /** Returns the text of each column of the next row. A cell has its text in each column and row that it spans. */
  of(cells: readonly Element[], texts: readonly string[]): string[] {
    const row: string[] = []
    for (const [at, cell] of cells.entries()) {
      this.#extend(row)
      const { columns, rows } = spanOf(cell)
      const end = Math.min(row.length + columns, maxColumns)
      const text = texts[at] ?? ''
      while (row.length < end) {
        this.#above[row.length] = { text, rows: rows - 1 }
        row.push(text)
      }
    }
    this.#extend(row)
    return row
  }

  /** Adds the cells from above that extend into the next columns of the row. */
  #extend(row: string[]): void {
    for (let cell = this.#above[row.length]; cell && cell.rows > 0; cell = this.#above[row.length]) {
      cell.rows -= 1
      row.push(cell.text)
    }
  }
}
