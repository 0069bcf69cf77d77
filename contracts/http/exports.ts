/** `/v1/exports`: the pages of a crawl as one file, for download or in an S3 bucket of the client. */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf, orNull, Timestamp } from '../primitives.ts'
import { ChunkRequest } from './chunks.ts'
import { ExportSink, RequestedSink } from './export-sink.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

export const ExportFormat = oneOf(['jsonl', 'markdown', 'parquet', 'warc', 'wacz', 'sitemap', 'graph'], {
  description:
    'jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links.',
})
export type ExportFormat = Static<typeof ExportFormat>

const Included = oneOf(['html', 'markdown', 'article', 'metadata', 'headers', 'links'], {
  description: 'A part of the content.',
})

const Status = oneOf(['queued', 'running', 'done', 'failed', 'expired'], {
  description: 'done: the file is complete. expired: it was removed. failed: `error` has the reason.',
})

const ExportChunks = Type.Object(
  {
    ...ChunkRequest.properties,
    embeddings: Type.Optional(
      Type.Boolean({
        description:
          'Adds the embedding of each chunk by the model of this installation: `embedding` of a chunk in jsonl, a column of the table chunks in parquet. It needs the consent of the project, and its tokens are rows of the ledger. Default: false.',
      }),
    ),
  },
  {
    $id: 'ExportChunkRequest',
    description:
      'jsonl, parquet: splits the Markdown into chunks, which are added as `chunks`. parquet has them in the table pages, or in the table chunks if it is chosen.',
  },
)

/** The selected pages, and the choices of some formats. Absent fields have their defaults. */
export const ExportSelection = Type.Object(
  {
    status: Type.Optional(
      Type.Array(Type.Integer({ minimum: 100, maximum: 999 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Only pages with one of these HTTP statuses. Default: all.',
        examples: [[200]],
      }),
    ),
    url_prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'Only pages whose URL begins with this text. Default: all.',
        examples: ['https://example.com/docs/'],
      }),
    ),
    max_depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description: 'Only pages with at most this number of links from the seed. Default: all.',
      }),
    ),
    include: Type.Optional(
      Type.Array(Included, {
        maxItems: 6,
        description:
          'jsonl, parquet: parts of the content of each page. `metadata` is always included. parquet has links in a table. warc, wacz: `markdown` adds conversion records. Default: none.',
        examples: [['markdown', 'links']],
      }),
    ),
    only_main_content: Type.Optional(
      Type.Boolean({
        description:
          'The Markdown contains only the main content, without menus, headers and footers. Default: true for the format markdown, else false.',
      }),
    ),
    chunks: Type.Optional(ExportChunks),
    tables: Type.Optional(
      Type.Array(oneOf(['pages', 'links', 'chunks'], { description: 'A table.' }), {
        minItems: 1,
        maxItems: 3,
        description:
          'parquet: its tables. Several tables are a ZIP of their files. chunks has a row per chunk. Default: pages, or chunks with embeddings.',
      }),
    ),
    graph: Type.Optional(
      oneOf(['gexf', 'csv'], {
        description: 'graph: GEXF, or a ZIP of CSV files. Default: gexf.',
      }),
    ),
  },
  { $id: 'ExportSelection', description: 'The selected pages, and choices of some formats.' },
)
export type ExportSelection = Static<typeof ExportSelection>

export const ExportRequest = Type.Object(
  {
    format: ExportFormat,
    select: Type.Optional(ExportSelection),
    sink: Type.Optional(RequestedSink),
  },
  { $id: 'ExportRequest' },
)
export type ExportRequest = Static<typeof ExportRequest>

const ExportEmbeddings = Type.Object(
  {
    model: Type.String({ description: 'Name of the model.' }),
    dimensions: Type.Integer({ description: 'Number of values in each embedding.' }),
    texts: Type.Integer({
      description: 'Different texts that the model has received. Equal texts are sent once.',
    }),
    tokens: Type.Integer({ description: 'Tokens of these texts, as the ledger has them.' }),
  },
  {
    description: 'The embeddings so far. Absent: none was requested, or the model has not responded yet.',
  },
)
export type ExportEmbeddings = Static<typeof ExportEmbeddings>

export const ExportView = Type.Object(
  {
    id: described(Id, 'The id of the export.'),
    run_id: described(Id, 'The crawl.'),
    format: ExportFormat,
    select: ExportSelection,
    sink: ExportSink,
    status: Status,
    created_at: described(Timestamp, 'Time of the request.'),
    finished_at: orNull(described(Timestamp, 'Time of its end; null: it has not ended.')),
    expires_at: orNull(described(Timestamp, 'Time when the file is removed; null: there is no file here.')),
    records: orNull(Type.Integer({ description: 'Number of selected pages; null: not done.' })),
    bytes: orNull(Type.Integer({ description: 'Length of the file; null: not done.' })),
    sha256: orNull(Type.String({ description: 'SHA-256 of the file, in hex; null: not done.' })),
    embeddings: Type.Optional(ExportEmbeddings),
    error: orNull(
      Type.Object(
        {
          reason: Type.String({
            description: 'Such as run_deleted, too_large, s3_refused or embeddings_invalid.',
          }),
          message: Type.String({ description: 'The reason in words, with the remedy.' }),
        },
        { description: 'Why it failed; null: it did not fail.' },
      ),
    ),
    download_url: orNull(
      Type.String({
        description:
          'Signed address of the file. It needs no key. It expires, by default after an hour: read the export again for a new one. null: no file here.',
      }),
    ),
    warnings,
  },
  { $id: 'Export' },
)
export type ExportView = Static<typeof ExportView>

export const ExportList = Type.Object(
  {
    items: Type.Array(ExportView, { description: 'Newest first.' }),
    next_offset: nextOffset,
    warnings,
  },
  { $id: 'ExportList' },
)

export const ExportListQuery = Type.Object(windowOf(1000))

export const ExportParams = Type.Object({
  id: Type.Integer({ description: 'The export.', examples: [9] }),
})

export const DeletedExport = Type.Object(
  {
    deleted: Type.Literal(true, { description: 'Always true.' }),
    id: Type.Integer({ description: 'The deleted export.' }),
    warnings,
  },
  { $id: 'DeletedExport' },
)

export const ExportFileQuery = Type.Object({
  expires: Type.Integer({
    description: 'Time at which the address expires, in seconds since 1970.',
    examples: [1767326730],
  }),
  signature: Type.String({ maxLength: 128, description: 'Signature of the address.', examples: ['5f2b…'] }),
})
