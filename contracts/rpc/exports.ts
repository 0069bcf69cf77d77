/** Requests to the extractor, which owns exports, and its request to the projector for the pages of a run. */
import { type Static, Type } from 'typebox'
import { ExportSink } from '../http/export-sink.ts'
import { ExportFormat, ExportSelection, ExportView } from '../http/exports.ts'
import { ExportCaps } from '../limits.ts'
import { Id, orNull, Sealed, Timestamp, UrlKey } from '../primitives.ts'
import { rpc } from './rpc.ts'

export const RequestExport = Type.Object({
  projectId: Id,
  runId: Id,
  format: ExportFormat,
  select: ExportSelection,
  sink: ExportSink,
  /** JSON of `BucketKeys`, sealed; null for a download. */
  credentials: orNull(Sealed),
  idempotencyKey: orNull(Type.String()),
  /** SHA-256 of the request body, as in `CreateMonitor`. */
  fingerprint: Type.String(),
  /** Caps of the project at the time of the request. Absent: the caller is of an earlier version, and only settings apply. */
  caps: Type.Optional(ExportCaps),
})
export type RequestExport = Static<typeof RequestExport>

/** The credentials of a bucket, which are sealed as JSON. */
export type BucketKeys = { accessKeyId: string; secretAccessKey: string }

/** An export without the address of its file, which the gateway signs. */
const StoredView = Type.Omit(ExportView, ['download_url', 'warnings'])
export type StoredView = Static<typeof StoredView>

/** Rejected with 409 `html_not_stored`, 409 for the key of a deleted export, and 429 above a limit of the project. */
export const ExportAccepted = Type.Object({
  export: StoredView,
  replayed: Type.Boolean(),
  sameRequest: Type.Boolean(),
})
export type ExportAccepted = Static<typeof ExportAccepted>

export const ListExports = Type.Object({
  projectId: Id,
  runId: Id,
  limit: Type.Integer({ minimum: 1, maximum: 1001 }),
  offset: Type.Integer({ minimum: 0 }),
})
export type ListExports = Static<typeof ListExports>

/** Newest first. */
const ListExportsAnswer = Type.Object({ exports: Type.Array(StoredView) })

export const GetExport = Type.Object({ projectId: Id, exportId: Type.Integer() })
export type GetExport = Static<typeof GetExport>

/** Null: the project has no such export. */
const GetExportAnswer = Type.Object({ export: orNull(StoredView) })

/**
 * Finds a file by the id of its export alone. The signature of the address proves that the owner of the export shared
 * it.
 */
const FindExportFile = Type.Object({ exportId: Type.Integer() })

export const ExportFile = Type.Object({
  projectId: Id,
  /** As in its view. An id that is used again after a restore has another time. */
  createdAt: Timestamp,
  /** Null: the file was removed, or never existed. */
  file: orNull(
    Type.Object({
      /** Such as `tidemark-run-42-export-9.jsonl`. */
      name: Type.String(),
      bytes: Type.Integer(),
      sha256: Type.String(),
      /** Bytes of every part but the last. Parts count from 1. */
      partBytes: Type.Integer(),
      finishedAt: Timestamp,
    }),
  ),
})
export type ExportFile = Static<typeof ExportFile>

/** Null: there is no such export. */
const FindExportFileAnswer = Type.Object({ found: orNull(ExportFile) })

const DeleteExportAnswer = Type.Object({ deleted: Type.Boolean() })

/** The pages of a run with greater ids, in the order of their ids. */
export const ListExportPages = Type.Object({
  projectId: Id,
  runId: Id,
  after: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
  select: ExportSelection,
})
export type ListExportPages = Static<typeof ListExportPages>

export const ListedPage = Type.Object({
  id: Id,
  urlKey: UrlKey,
  url: Type.String(),
  requestedUrl: orNull(Type.String()),
  status: Type.Integer(),
  bytes: Type.Integer(),
  depth: Type.Integer(),
  fetchedAt: Timestamp,
  contentType: orNull(Type.String()),
  title: orNull(Type.String()),
  contentHash: Type.String(),
  rawHash: Type.String(),
  /** The origin returned a challenge instead of its page. */
  blocked: Type.Optional(Type.Literal(true)),
  /** A browser rendered the page. */
  rendered: Type.Optional(Type.Literal(true)),
  /** IP address of the host, if it is known. */
  hostAddress: Type.Optional(Type.String()),
})
export type ListedPage = Static<typeof ListedPage>

export const ListedRun = Type.Object({
  url: Type.String(),
  status: Type.String(),
  startedAt: Timestamp,
  /** Null: it has not ended. */
  finishedAt: orNull(Timestamp),
})
export type ListedRun = Static<typeof ListedRun>

/** `run` is null if the run was deleted. */
export const ListedPages = Type.Object({ run: orNull(ListedRun), pages: Type.Array(ListedPage) })
export type ListedPages = Static<typeof ListedPages>

export const requestExport = rpc({
  subject: 'ask.exports.request',
  request: RequestExport,
  response: ExportAccepted,
  callers: ['gateway'],
  server: 'extractor',
})

export const listExports = rpc({
  subject: 'ask.exports.list',
  request: ListExports,
  response: ListExportsAnswer,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const getExport = rpc({
  subject: 'ask.exports.get',
  request: GetExport,
  response: GetExportAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const findExportFile = rpc({
  subject: 'ask.exports.find-file',
  request: FindExportFile,
  response: FindExportFileAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const deleteExport = rpc({
  subject: 'ask.exports.delete',
  request: GetExport,
  response: DeleteExportAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const listExportPages = rpc({
  subject: 'ask.read.export-pages',
  request: ListExportPages,
  response: ListedPages,
  codec: 'compact',
  callers: ['extractor'],
  server: 'projector',
})
