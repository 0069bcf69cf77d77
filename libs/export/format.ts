/**
 * Formats of an export. The same source and options yield the same bytes: a killed job writes again and skips the
 * parts that it has stored already. Times come from the run and ids from hashes. Compressed bytes also depend on the
 * version and the architecture of Node, so a job that continues with another one must start over.
 */
import type { ExportFormat, ExportSelection } from '@tidemark/contracts/http/exports'
import type { ExportSource, Part } from './page.ts'

type Choice<Name extends keyof ExportSelection> = NonNullable<ExportSelection[Name]>

/** Choices of the client. Each format reads its own and ignores the others. */
export type ExportOptions = {
  /** jsonl, parquet: content of each page. warc, wacz: `markdown` adds conversion records. */
  include: readonly Content[]
  /** parquet: its tables. One table is one Parquet file, several are one zip. */
  tables: readonly Table[]
  /** jsonl, parquet: whether chunks have their embeddings. */
  embeddings: boolean
  /** graph: GEXF, or CSV of pages and links in one zip. */
  graph: Choice<'graph'>
}

export type Content = Choice<'include'>[number] | 'chunks'
export type Table = Choice<'tables'>[number]

/** The tables in their order within a file. */
export const tables: readonly Table[] = ['pages', 'links', 'chunks']

/** `extension` has no leading dot, for example `warc.gz`. */
export type FileType = { extension: string; mediaType: string }

export type FormatName = ExportFormat

export type Format = {
  fileType(options: ExportOptions): FileType
  /** Returns every part that `write` requests from the source, so that a caller can refuse what is not stored. */
  needs(options: ExportOptions): readonly Part[]
  /**
   * Yields the file in buffers of any size. Rejects with the errors of the source. Memory is bounded by one page or one
   * row group, plus an index of about 200 bytes per page where the format has one.
   */
  write(source: ExportSource, options: ExportOptions): AsyncIterable<Buffer>
}
