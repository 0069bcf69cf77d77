/** Writes the items of a list as text, one line each: as NDJSON, or as CSV with a fixed order of columns. */
import { type Cell, csvLine, defused } from '@tidemark/contracts/http/csv'
import type { ListFormat } from './list-format.ts'

export type RowFormat = Exclude<ListFormat, 'json'>

export type RowShape = {
  /** The columns of CSV, in order. */
  columns: readonly string[]
  /**
   * Columns whose text sites or clients write. In CSV this text is made harmless, so that no spreadsheet runs it as a
   * formula.
   */
  freeText: readonly string[]
}

/** Yields the lines in pieces, in CSV after a header line. CSV joins the texts of an array by commas in one cell. */
export async function* rowsText(
  format: RowFormat,
  shape: RowShape,
  pieces: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvOf(shape) : jsonLine
  if (format === 'csv') yield csvLine(shape.columns)
  for await (const items of pieces) {
    if (items.length > 0) yield items.map(line).join('')
  }
}

const jsonLine = (item: object): string => `${JSON.stringify(item)}\n`

function csvOf({ columns, freeText }: RowShape): (item: object) => string {
  const isFree = new Set(freeText)
  return item =>
    csvLine(
      columns.map(column => {
        const value = (item as Record<string, Cell | string[] | undefined>)[column] ?? null
        const cell = Array.isArray(value) ? value.join(', ') : value
        return isFree.has(column) && typeof cell === 'string' ? defused(cell) : cell
      }),
    )
}
