/** Reads the number of columns and rows that a cell of a table spans. */
import type { Element } from 'domhandler'
import { attribute } from './attribute.ts'

/** Number of columns and rows of a cell. `Infinity` rows extend to the end of the row group. */
export type Span = { columns: number; rows: number }

/** Returns the span of a cell by WHATWG HTML, 4.9.12.1. Zero rows are all that follow in the row group. */
export function spanOf(cell: Element): Span {
  const columns = numberOf(cell, 'colspan')
  const rows = numberOf(cell, 'rowspan')
  return {
    columns: columns >= 1 ? Math.min(columns, 1000) : 1,
    rows: rows === 0 ? Number.POSITIVE_INFINITY : rows >= 1 ? Math.min(rows, 65_534) : 1,
  }
}

const numberOf = (cell: Element, name: string): number => Number.parseInt(attribute(cell, name) ?? '1', 10)
