/** Counts the tabs before the next text of a table row in plain text. Empty cells keep the others in their columns. */
export class RowTabs {
  count = 0
  /** Number of cells of a row without text so far, or null after its first text and outside of rows. */
  #emptyCells: number | null = null

  /** Whether the row has no text so far. */
  get isRowStart(): boolean {
    return this.#emptyCells !== null
  }

  /** Begins a row, whose first cell has no tab before it. */
  beginRow(): void {
    this.count = 0
    this.#emptyCells = 0
  }

  /** Begins a cell. */
  add(): void {
    if (this.#emptyCells === null) this.count += 1
    else this.count = this.#emptyCells++
  }

  /** Forgets the tabs after a text, and at the end of a row, where empty cells need none. */
  clear(): void {
    this.count = 0
    this.#emptyCells = null
  }
}
