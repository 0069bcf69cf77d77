/** `/v1/exports`: the pages of a crawl as one file, for download or in an S3 bucket of the client. */
import { type Static, Type } from 'typebox'
import { Id, mustBe, orNull, said, Timestamp } from '../primitives.ts'
import { ChunkRequest } from './chunks.ts'
import { nextOffset, warnings, windowOf } from './lists.ts'

const word = <Word extends string>(word: Word) => Type.Literal(word)

export const ExportFormat = Type.Union(
  [
    word('jsonl'),
    word('markdown'),
    word('parquet'),
    word('warc'),
    word('wacz'),
    word('sitemap'),
    word('graph'),
  ],
  {
    description:
      'jsonl: a line per page. markdown: a ZIP with a file per page. parquet: tables of pages and links. warc, wacz: web archives. sitemap: XML sitemaps. graph: pages and their links.',
  },
)
export type ExportFormat = Static<typeof ExportFormat>

const Included = Type.Union(
  [word('html'), word('markdown'), word('article'), word('metadata'), word('headers'), word('links')],
  { description: 'A part of the content.' },
)

const Status = Type.Union([word('queued'), word('running'), word('done'), word('failed'), word('expired')], {
  description: 'done: the file is complete. expired: it was removed. failed: `error` has the reason.',
})

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
    chunks: Type.Optional(ChunkRequest),
    tables: Type.Optional(
      Type.Array(Type.Union([word('pages'), word('links')], { description: 'A table.' }), {
        minItems: 1,
        maxItems: 2,
        description: 'parquet: its tables. Two tables are a ZIP of two files. Default: pages.',
      }),
    ),
    graph: Type.Optional(
      Type.Union([word('gexf'), word('csv')], {
        description: 'graph: GEXF, or a ZIP of CSV files. Default: gexf.',
      }),
    ),
  },
  { $id: 'ExportSelection', description: 'The selected pages, and choices of some formats.' },
)
export type ExportSelection = Static<typeof ExportSelection>

const Download = Type.Object({ type: Type.Literal('download', { description: 'Kept here for download.' }) })

/** The place of an export in a bucket, without its credentials. */
const bucket = {
  type: Type.Literal('s3', { description: 'Sent to an S3 bucket.' }),
  endpoint: Type.String({
    maxLength: 2000,
    description: 'Address of the S3 service, without a path. It must be public.',
    examples: ['https://s3.eu-central-1.amazonaws.com'],
  }),
  bucket: Type.String({
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    ...mustBe('3 to 63 lower-case letters, digits, dots and hyphens'),
    description: 'The bucket. It must exist.',
    examples: ['crawls'],
  }),
  region: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9-]{1,64}$',
      ...mustBe('letters, digits and hyphens'),
      description: 'The region of the bucket. Default: us-east-1.',
      examples: ['eu-central-1'],
    }),
  ),
  key: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_=-][A-Za-z0-9._=/-]{0,999}$',
      ...mustBe('letters, digits and . _ = / -, and begin with none of . and /'),
      description:
        'Name of the object. An existing object is replaced. Default: a name with the id of the export.',
      examples: ['tidemark/run-42.jsonl'],
    }),
  ),
  path_style: Type.Optional(
    Type.Boolean({
      description:
        'true: the bucket is in the path (`https://host/bucket/…`). false: it is in the host. Default: true.',
    }),
  ),
}

const credential = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[\\x21-\\x7e]+$',
    ...mustBe('visible ASCII characters'),
    ...{ writeOnly: true, description },
  })

/** One object for all types, so that an error names the wrong field. */
const RequestedSink = Type.Object(
  {
    type: Type.Union([word('download'), word('s3')], {
      description: 'download: kept here. s3: sent to a bucket.',
    }),
    endpoint: Type.Optional(bucket.endpoint),
    bucket: Type.Optional(bucket.bucket),
    region: bucket.region,
    key: bucket.key,
    path_style: bucket.path_style,
    access_key_id: Type.Optional(
      credential(256, 'Id of an access key that may put objects. It is stored encrypted.'),
    ),
    secret_access_key: Type.Optional(
      credential(
        1024,
        'Secret of the access key. It is stored encrypted until the export ends, and never shown.',
      ),
    ),
  },
  { description: 'The target of the file. Default: download. s3 needs endpoint, bucket and the access key.' },
)
export type RequestedSink = Static<typeof RequestedSink>

export const ExportRequest = Type.Object(
  {
    format: ExportFormat,
    select: Type.Optional(ExportSelection),
    sink: Type.Optional(RequestedSink),
  },
  { $id: 'ExportRequest' },
)
export type ExportRequest = Static<typeof ExportRequest>

/** A sink as clients read it: never with its credentials. */
export const ExportSink = Type.Union([Download, Type.Object(bucket)], {
  description: 'The target of the file.',
})
export type ExportSink = Static<typeof ExportSink>

export const ExportView = Type.Object(
  {
    id: said(Id, 'The id of the export.'),
    run_id: said(Id, 'The crawl.'),
    format: ExportFormat,
    select: ExportSelection,
    sink: ExportSink,
    status: Status,
    created_at: said(Timestamp, 'Time of the request.'),
    finished_at: orNull(said(Timestamp, 'Time of its end; null: it has not ended.')),
    expires_at: orNull(said(Timestamp, 'Time when the file is removed; null: there is no file here.')),
    records: orNull(Type.Integer({ description: 'Number of selected pages; null: not done.' })),
    bytes: orNull(Type.Integer({ description: 'Length of the file; null: not done.' })),
    sha256: orNull(Type.String({ description: 'SHA-256 of the file, in hex; null: not done.' })),
    error: orNull(
      Type.Object(
        {
          reason: Type.String({ description: 'Such as run_deleted, too_large or s3_refused.' }),
          message: Type.String({ description: 'The reason in words, with the remedy.' }),
        },
        { description: 'Why it failed; null: it did not fail.' },
      ),
    ),
    download_url: orNull(
      Type.String({
        description:
          'Signed address of the file. It needs no key, and ends after an hour unless the server is set otherwise: read the export again for a new one. null: no file here.',
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
    description: 'End of the address, in seconds since 1970.',
    examples: [1767326730],
  }),
  signature: Type.String({ maxLength: 128, description: 'Signature of the address.', examples: ['5f2b…'] }),
})
