/** Columns that the tables of several screens have. */
import { addressOf } from '../data/address.ts'
import { pathIn } from '../data/words.ts'
import type { Column } from './table.tsx'

/** A column with links to the screens of pages. @param origin URLs with this origin are shown as their path only */
export const urlColumn = (
  label: string,
  run: number,
  origin: string | null,
): Column<{ id: number; url: string }> => ({
  key: 'url',
  label,
  isMain: true,
  cell: ({ id, url }) => <a href={addressOf(`/crawls/${run}/pages/${id}`)}>{pathIn(url, origin)}</a>,
})

export const rankColumn: Column<{ pagerank?: number | null | undefined }> = {
  key: 'pagerank',
  label: 'PageRank',
  isNumber: true,
  cell: ({ pagerank }) => pagerank?.toFixed(4),
}
