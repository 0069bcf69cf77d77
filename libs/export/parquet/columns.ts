/** Columns of the Parquet tables, with the names of the API. */
import type { Chunk } from '@tidemark/contracts/http/chunks'
import type { SchemaElement } from 'hyparquet'
import type { Content, ExportOptions, Table } from '../format.ts'
import type { ExportedLink, ExportedPage, Part } from '../page.ts'

export type Value = string | Buffer | number | bigint | boolean | Float32Array | null

/** A column and its value in a row. `long`: a text that hardly repeats. Objects are JSON in such a text. */
export type Column<Row> = { name: string; kind: Kind; value: (row: Row) => Value }

type Kind = 'text' | 'long' | 'int32' | 'int64' | 'boolean' | 'time' | 'floats'

/** A link with its page. */
export type LinkRow = { page: ExportedPage; link: ExportedLink }
/** A chunk with its page, its number in the page from 0, and its embedding. */
export type ChunkRow = { page: ExportedPage; number: number; chunk: Chunk; embedding: Float32Array | null }

const leafOf: Record<Exclude<Kind, 'floats'>, Partial<SchemaElement>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  long: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

/** Returns the elements of a column in the schema. A list has three levels, as the specification of Parquet has them. */
export const elementsOf = ({ name, kind }: { name: string; kind: Kind }): SchemaElement[] =>
  kind === 'floats'
    ? [
        { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', type: 'FLOAT' },
      ]
    : [{ name, repetition_type: 'OPTIONAL', ...leafOf[kind] }]

const json = (value: unknown): Buffer | null => (value === null ? null : Buffer.from(JSON.stringify(value)))
const long = (text: string | null | undefined): Buffer | null => (text == null ? null : Buffer.from(text))

function time(iso: string): number | null {
  const value = Date.parse(iso)
  return Number.isNaN(value) ? null : value
}

const everyPage: readonly Column<ExportedPage>[] = [
  { name: 'id', kind: 'int64', value: ({ id }) => BigInt(id) },
  { name: 'url', kind: 'text', value: ({ url }) => url },
  { name: 'requested_url', kind: 'text', value: ({ requestedUrl }) => requestedUrl },
  { name: 'status', kind: 'int32', value: ({ status }) => status },
  { name: 'fetched_at', kind: 'time', value: ({ fetchedAt }) => time(fetchedAt) },
  { name: 'depth', kind: 'int32', value: ({ depth }) => depth },
  { name: 'title', kind: 'text', value: ({ title }) => title },
  { name: 'content_type', kind: 'text', value: ({ contentType }) => contentType },
  { name: 'content_hash', kind: 'text', value: ({ contentHash }) => contentHash },
  { name: 'raw_hash', kind: 'text', value: ({ rawHash }) => rawHash },
  { name: 'bytes', kind: 'int64', value: ({ bytes }) => BigInt(bytes) },
  { name: 'blocked', kind: 'boolean', value: ({ blocked }) => blocked },
  { name: 'rendered', kind: 'boolean', value: ({ rendered }) => rendered },
]

/** Columns of the chosen content. Links have their own table. */
const contentColumns: Record<Content, readonly Column<ExportedPage>[]> = {
  html: [{ name: 'html', kind: 'long', value: ({ html }) => long(html) }],
  markdown: [{ name: 'markdown', kind: 'long', value: ({ markdown }) => long(markdown) }],
  chunks: [{ name: 'chunks', kind: 'long', value: ({ chunks }) => json(chunks) }],
  article: [
    { name: 'article_text', kind: 'long', value: ({ article }) => long(article?.text) },
    { name: 'article_html', kind: 'long', value: ({ article }) => long(article?.html) },
  ],
  metadata: [{ name: 'metadata', kind: 'long', value: ({ metadata }) => json(metadata) }],
  headers: [{ name: 'headers', kind: 'long', value: ({ headers }) => json(headers) }],
  links: [],
}

export const pageColumns = (content: readonly Content[]): Column<ExportedPage>[] => [
  ...everyPage,
  ...content.flatMap(name => contentColumns[name]),
]

export const linkColumns: readonly Column<LinkRow>[] = [
  { name: 'from_page_id', kind: 'int64', value: ({ page }) => BigInt(page.id) },
  { name: 'from_url', kind: 'text', value: ({ page }) => page.url },
  { name: 'to_url', kind: 'text', value: ({ link }) => link.href },
  { name: 'anchor', kind: 'text', value: ({ link }) => link.anchor },
  { name: 'rel', kind: 'text', value: ({ link }) => link.rel },
  { name: 'nofollow', kind: 'boolean', value: ({ link }) => link.nofollow },
]

const everyChunk: readonly Column<ChunkRow>[] = [
  { name: 'page_id', kind: 'int64', value: ({ page }) => BigInt(page.id) },
  { name: 'page_url', kind: 'text', value: ({ page }) => page.url },
  { name: 'number', kind: 'int32', value: ({ number }) => number },
  { name: 'id', kind: 'long', value: ({ chunk }) => long(chunk.id) },
  { name: 'text', kind: 'long', value: ({ chunk }) => long(chunk.text) },
  { name: 'start', kind: 'int32', value: ({ chunk }) => chunk.start },
  { name: 'end', kind: 'int32', value: ({ chunk }) => chunk.end },
  { name: 'heading_path', kind: 'long', value: ({ chunk }) => json(chunk.heading_path) },
  { name: 'tokens', kind: 'int32', value: ({ chunk }) => chunk.tokens },
  { name: 'is_part', kind: 'boolean', value: ({ chunk }) => chunk.is_part },
]

export const chunkColumns = ({ embeddings }: ExportOptions): readonly Column<ChunkRow>[] =>
  embeddings
    ? [...everyChunk, { name: 'embedding', kind: 'floats', value: ({ embedding }) => embedding }]
    : everyChunk

/**
 * Returns the content of the pages table without duplicates. Metadata is always part of it. Links and chunks are left to
 * their tables; the table of chunks is optional.
 */
export const contentOf = ({ include, tables }: ExportOptions): Content[] =>
  [...new Set<Content>(['metadata', ...include])].filter(
    name => name !== 'links' && !(name === 'chunks' && tables.includes('chunks')),
  )

/** Returns the content of each page that must be read for a table. */
export function contentReadFor(table: Table, options: ExportOptions): readonly Part[] {
  if (table === 'links') return ['links']
  if (table === 'pages') return contentOf(options)
  return options.embeddings ? ['chunks', 'embeddings'] : ['chunks']
}
