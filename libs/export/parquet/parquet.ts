/** Parquet tables of pages, links and chunks: one as a file, several as a zip. Each table is one pass over the source. */
import { buffered } from '../buffered.ts'
import { type ExportOptions, type Format, type Table, tables } from '../format.ts'
import type { ExportedPage, ExportSource } from '../page.ts'
import { type ZipFile, zipOf, zipType } from '../zip/zip.ts'
import {
  type ChunkRow,
  chunkColumns,
  contentOf,
  contentReadFor,
  type LinkRow,
  linkColumns,
  pageColumns,
} from './columns.ts'
import { parquetFile } from './row-groups.ts'

export const parquet: Format = {
  fileType: options =>
    tablesOf(options).length === 1
      ? { extension: 'parquet', mediaType: 'application/vnd.apache.parquet' }
      : zipType,
  needs: options => [...new Set(tablesOf(options).flatMap(table => contentReadFor(table, options)))],
  write(source, options) {
    const [first = 'pages', second] = tablesOf(options)
    const file =
      second === undefined ? tableOf(first, source, options) : zipOf(source, files(source, options))
    return buffered(file)
  },
}

/** Returns the chosen tables in a fixed order. */
const tablesOf = (options: ExportOptions): readonly Table[] =>
  tables.filter(table => options.tables.includes(table))

/** The tables are compressed already. */
function* files(source: ExportSource, options: ExportOptions): Generator<ZipFile> {
  for (const table of tablesOf(options))
    yield { name: `${table}.parquet`, stream: tableOf(table, source, options), isDeflated: false }
}

function tableOf(table: Table, source: ExportSource, options: ExportOptions): AsyncIterable<Buffer> {
  const { software } = source.run
  if (table === 'links') return parquetFile(linkColumns, linkRows(source), software)
  if (table === 'chunks') {
    const rows = chunkRows(source.pages(contentReadFor(table, options)))
    return parquetFile(chunkColumns(options), rows, software)
  }
  return parquetFile(pageColumns(contentOf(options)), source.pages(contentReadFor(table, options)), software)
}

async function* linkRows(source: ExportSource): AsyncGenerator<LinkRow> {
  for await (const page of source.pages(['links'])) for (const link of page.links) yield { page, link }
}

async function* chunkRows(pages: AsyncIterable<ExportedPage>): AsyncGenerator<ChunkRow> {
  for await (const page of pages)
    for (const [number, chunk] of page.chunks?.entries() ?? [])
      yield { page, number, chunk, embedding: page.embeddings?.[number] ?? null }
}
