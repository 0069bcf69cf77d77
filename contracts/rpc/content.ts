/** Requests to the extractor for the content of one page, which is fetched first or stored already. */
import { type Static, Type } from 'typebox'
import { ChunkRequest } from '../http/chunks.ts'
import { AiBotPolicies, Anchor, contentParts, Signals } from '../http/content.ts'
import { DiffMode, TextDifference } from '../http/page-diff.ts'
import { PageMetadata } from '../http/pages.ts'
import { Id, oneOf, orNull, Tier, Timestamp, UrlKey } from '../primitives.ts'
import { CompareRules, ProxyPool } from '../run-settings.ts'
import { BackendChoice, BackendName, Try } from './backends.ts'
import { rpc } from './rpc.ts'

/** A value to extract from the page: the first match, or all matches. */
export const Selector = Type.Object(
  {
    selector: Type.String({ minLength: 1, maxLength: 500, description: 'A CSS selector.' }),
    attr: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The attribute to extract. Default: the text.',
      }),
    ),
    all: Type.Optional(
      Type.Boolean({ description: 'Whether to return all matches as a list instead of the first one.' }),
    ),
  },
  { $id: 'Selector' },
)
export type Selector = Static<typeof Selector>

export const Wanted = Type.Object({
  html: Type.Boolean(),
  /** Markdown of the whole page, or of its main content only. */
  markdown: orNull(oneOf(['page', 'main'])),
  article: Type.Boolean(),
  /** The form of the article beside its text. Default: HTML. */
  articleFormat: Type.Optional(oneOf(['html', 'markdown'])),
  signals: Type.Boolean(),
  anchors: Type.Boolean(),
  /** The visible text, without markup. */
  text: Type.Optional(Type.Boolean()),
  commonmark: Type.Optional(Type.Boolean()),
  /** Chunks of the Markdown. */
  chunks: Type.Optional(ChunkRequest),
  extract: Type.Optional(Type.Record(Type.String(), Selector)),
  /** A JSON Schema that the gateway has checked, instead of `extract`. */
  schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** Requests that a language model fills the properties of `schema` that are null. `prompt` is the instruction. */
  byModel: Type.Optional(Type.Object({ prompt: Type.Optional(Type.String()) })),
})
export type Wanted = Static<typeof Wanted>

/** A request for no part of a page. Callers set the parts that they need. */
export const nothing: Wanted = {
  html: false,
  markdown: null,
  article: false,
  signals: false,
  anchors: false,
}

/** The requested parts of a page's content. */
export const Content = Type.Object({
  /** SHA-256 in hexadecimal of the content that readers see; `rawHash` is that of the bytes. */
  contentHash: Type.String(),
  rawHash: Type.String(),
  /** Number of decoded bytes. */
  bytes: Type.Integer(),
  contentType: orNull(Type.String()),
  metadata: PageMetadata,
  /** Vendor of the challenge that replaced the page. */
  challenge: orNull(Type.String()),
  html: Type.Optional(contentParts.html),
  markdown: Type.Optional(contentParts.markdown),
  article: Type.Optional(
    Type.Object({ text: Type.String(), html: Type.String(), markdown: Type.Optional(Type.String()) }),
  ),
  signals: Type.Optional(Signals),
  anchors: Type.Optional(Type.Array(Anchor)),
  text: Type.Optional(Type.String()),
  commonmark: Type.Optional(Type.String()),
  chunks: Type.Optional(contentParts.chunks),
  extracted: Type.Optional(contentParts.extracted),
  extraction: Type.Optional(contentParts.extraction),
  warnings: Type.Array(Type.String()),
})
export type Content = Static<typeof Content>

export const ScanPage = Type.Object({
  /** As in `FetchNow`: the scans of one request share a rate limit per host. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  url: Type.String(),
  /** Milliseconds between two requests of this work to a host. */
  delayMs: Type.Integer({ minimum: 0 }),
  /** Concurrent requests of this work to all hosts. */
  concurrency: Type.Integer({ minimum: 1 }),
  userAgent: Type.Optional(Type.String()),
  wanted: Wanted,
  /** The tenant, for fair scheduling between projects. Without it each work is a tenant of its own. */
  projectId: Type.Optional(Id),
  /** Limit for the page and its screenshot. Default: the limit of the extractor. */
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 120_000 })),
  /** The rules of the site to return with the page. */
  site: oneOf(['none', 'policy', 'policy_and_full']),
  /** Default: plain HTTP. */
  means: Type.Optional(BackendChoice),
  /** Add a PNG of the page from a browser, whichever backend fetches the page itself. */
  picture: Type.Optional(Type.Boolean()),
  /** Store the page for later scans of the project, as long as this tier keeps pages. Requires `projectId`. */
  keepFor: Type.Optional(Tier),
})
export type ScanPage = Static<typeof ScanPage>

export const ScannedPage = Type.Object({
  url: Type.String(),
  status: Type.Integer(),
  fetchedAt: Timestamp,
  content: Content,
  aiBotPolicy: orNull(AiBotPolicies),
  llmsTxt: orNull(Type.String()),
  llmsFullTxt: orNull(Type.String()),
  /** As in `GotPage`, for a scan that set `means` or requested a screenshot. */
  backend: Type.Optional(BackendName),
  tried: Type.Optional(Type.Array(Try)),
  costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  moved: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
  pool: Type.Optional(orNull(ProxyPool)),
  /** If requested: the PNG, base64-encoded, or the reason why it is missing. The scan succeeds without it. */
  picture: Type.Optional(
    Type.Union([Type.Object({ png: Type.String() }), Type.Object({ error: Type.String() })]),
  ),
})
export type ScannedPage = Static<typeof ScannedPage>

/** Reads the newest page that a scan of the project stored, if it was fetched later and by the same means. */
export const ReadScan = Type.Object({
  projectId: Id,
  url: Type.String(),
  newerThan: Timestamp,
  userAgent: Type.Optional(Type.String()),
  means: Type.Optional(BackendChoice),
  wanted: Wanted,
})
export type ReadScan = Static<typeof ReadScan>

/** Null: there is no such page. */
export const ReadScanResponse = orNull(ScannedPage)
export type ReadScanResponse = Static<typeof ReadScanResponse>

/** Deletes the pages that scans of the project stored for a URL. */
export const DeleteScans = Type.Object({ projectId: Id, url: Type.String() })
export type DeleteScans = Static<typeof DeleteScans>

const DeleteScansAnswer = Type.Object({ deleted: Type.Integer({ minimum: 0 }) })

export const ReadContent = Type.Object({
  runId: Id,
  urlKey: UrlKey,
  url: Type.String(),
  status: Type.Integer(),
  wanted: Wanted,
  /** As in `ScanPage`. Without it each run is a tenant of its own. */
  projectId: Type.Optional(Id),
})
export type ReadContent = Static<typeof ReadContent>

/** Null: the run stored no body. */
export const ReadContentResponse = orNull(Content)
export type ReadContentResponse = Static<typeof ReadContentResponse>

const StoredPage = Type.Object({ runId: Id, urlKey: UrlKey, url: Type.String(), status: Type.Integer() })

/** Compares two stored pages line by line. */
export const ComparePages = Type.Object({
  projectId: Id,
  old: StoredPage,
  new: StoredPage,
  mode: DiffMode,
  /** Rules for both pages. Default: everything counts. */
  rules: Type.Optional(CompareRules),
})
export type ComparePages = Static<typeof ComparePages>

/** Null: one of the runs stored no body. */
export const ComparePagesResponse = orNull(TextDifference)
export type ComparePagesResponse = Static<typeof ComparePagesResponse>

export const scanPage = rpc({
  subject: 'ask.content.scan',
  request: ScanPage,
  response: ScannedPage,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const readScan = rpc({
  subject: 'ask.content.read-scan',
  request: ReadScan,
  response: ReadScanResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const deleteScans = rpc({
  subject: 'ask.content.delete-scans',
  request: DeleteScans,
  response: DeleteScansAnswer,
  callers: ['gateway'],
  server: 'extractor',
})

export const readContent = rpc({
  subject: 'ask.content.read',
  request: ReadContent,
  response: ReadContentResponse,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const comparePages = rpc({
  subject: 'ask.content.compare',
  request: ComparePages,
  response: ComparePagesResponse,
  codec: 'compact',
  callers: ['gateway', 'projector'],
  server: 'extractor',
})
