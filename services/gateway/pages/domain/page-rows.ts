/** A list of pages as text, one line a page: NDJSON and CSV with the same columns in the same order. */

import { csvLine, defused } from '@tidemark/contracts/http/csv'
import { type PageField, type PageItem, pageColumns } from '@tidemark/contracts/http/pages'
import type { ListFormat } from '../../http/domain/list-format.ts'

/** The names in `fields`, without duplicates, in their order. */
export const fieldsOf = (fields = ''): PageField[] =>
  fields === '' ? [] : ([...new Set(fields.split(','))] as PageField[])

/** Yields the rows batch by batch, after the header line of CSV. */
export async function* pageRows(
  format: Exclude<ListFormat, 'json'>,
  fields: readonly PageField[],
  pieces: AsyncIterable<PageItem[]>,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvOf([...pageColumns, ...fields]) : jsonLine
  if (format === 'csv') yield csvLine([...pageColumns, ...fields])
  for await (const pages of pieces) {
    if (pages.length > 0) yield pages.map(line).join('')
  }
}

const jsonLine = (page: PageItem): string => `${JSON.stringify(page)}\n`

/** Texts of the page or its server. The columns of every row are ours, and need no escaping. */
const freeText = new Set<string>(['title', 'content_type', 'requested_url'])

const csvOf = (columns: readonly (keyof PageItem)[]) => (page: PageItem) =>
  csvLine(
    columns.map(column => {
      const value = page[column] ?? null
      return freeText.has(column) && typeof value === 'string' ? defused(value) : value
    }),
  )
