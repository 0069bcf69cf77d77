/** Requests to the extractor for the content of one page, which is fetched first or stored already. */
import { type Static, Type } from 'typebox'
import { AiBotPolicies, Anchor, contentParts, Signals } from '../http/content.ts'
import { DiffMode, TextDifference } from '../http/page-diff.ts'
import { PageMetadata } from '../http/pages.ts'
import { Id, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { ProxyPool } from '../run-settings.ts'
import { BackendName, Means, Try } from './means.ts'
import { rpc } from './rpc.ts'

/** A value that a client wants out of the page: of the first match, or of all. */
export const Selector = Type.Object({
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
})
export type Selector = Static<typeof Selector>

export const Wanted = Type.Object({
  html: Type.Boolean(),
  /** Of the whole page, or of its main content only. */
  markdown: orNull(Type.Union([Type.Literal('page'), Type.Literal('main')])),
  article: Type.Boolean(),
  signals: Type.Boolean(),
  anchors: Type.Boolean(),
  /** What a reader sees, without marks. */
  text: Type.Optional(Type.Boolean()),
  commonmark: Type.Optional(Type.Boolean()),
  extract: Type.Optional(Type.Record(Type.String(), Selector)),
})
export type Wanted = Static<typeof Wanted>

/** What a page says, as far as it was wanted. */
export const Content = Type.Object({
  /** SHA-256 in hexadecimal of what a reader would notice, and of the bytes. */
  contentHash: Type.String(),
  rawHash: Type.String(),
  /** Decoded bytes. */
  bytes: Type.Integer(),
  contentType: orNull(Type.String()),
  metadata: PageMetadata,
  /** Whose challenge was shown instead of the page. */
  challenge: orNull(Type.String()),
  html: Type.Optional(contentParts.html),
  markdown: Type.Optional(contentParts.markdown),
  article: Type.Optional(Type.Object({ text: Type.String(), html: Type.String() })),
  signals: Type.Optional(Signals),
  anchors: Type.Optional(Type.Array(Anchor)),
  text: Type.Optional(Type.String()),
  commonmark: Type.Optional(Type.String()),
  extracted: Type.Optional(contentParts.extracted),
  warnings: Type.Array(Type.String()),
})
export type Content = Static<typeof Content>

export const ScanPage = Type.Object({
  /** As in `FetchNow`: the scans of one request keep one pace at a host. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  url: Type.String(),
  /** Between two requests of this work to a host. */
  delayMs: Type.Integer({ minimum: 0 }),
  /** Of this work, over all hosts. */
  concurrency: Type.Integer({ minimum: 1 }),
  userAgent: Type.Optional(Type.String()),
  wanted: Wanted,
  /** Whose it is: projects take turns. Without it each work is one of its own. */
  projectId: Type.Optional(Id),
  /** For the page and its picture; the extractor has its own limit where this is left out. */
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 120_000 })),
  /** What of the site's own rules is wanted besides the page. */
  site: Type.Union([Type.Literal('none'), Type.Literal('policy'), Type.Literal('policy_and_full')]),
  /** Without it plain HTTP. */
  means: Type.Optional(Means),
  /** A PNG of the page besides, from a browser, whatever the page itself is got by. */
  picture: Type.Optional(Type.Boolean()),
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
  /** As in `GotPage`; of a scan that said by which means, or wanted a picture. */
  backend: Type.Optional(BackendName),
  tried: Type.Optional(Type.Array(Try)),
  costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  moved: Type.Optional(orNull(Type.Integer({ minimum: 0 }))),
  pool: Type.Optional(orNull(ProxyPool)),
  /** Where one was wanted: PNG in base64, or why there is none. The page is worth having without it. */
  picture: Type.Optional(
    Type.Union([Type.Object({ png: Type.String() }), Type.Object({ error: Type.String() })]),
  ),
})
export type ScannedPage = Static<typeof ScannedPage>

export const ReadContent = Type.Object({
  runId: Id,
  urlKey: UrlKey,
  url: Type.String(),
  status: Type.Integer(),
  wanted: Wanted,
  /** As in `ScanPage`; without it each run is one of its own. */
  projectId: Type.Optional(Id),
})
export type ReadContent = Static<typeof ReadContent>

/** Null where the run kept no body. */
export const ReadContentAnswer = orNull(Content)
export type ReadContentAnswer = Static<typeof ReadContentAnswer>

const StoredPage = Type.Object({ runId: Id, urlKey: UrlKey, url: Type.String(), status: Type.Integer() })

/** Two stored pages, line by line. */
export const ComparePages = Type.Object({
  projectId: Id,
  old: StoredPage,
  new: StoredPage,
  mode: DiffMode,
})
export type ComparePages = Static<typeof ComparePages>

/** Null where one of the runs kept no body. */
export const ComparePagesAnswer = orNull(TextDifference)
export type ComparePagesAnswer = Static<typeof ComparePagesAnswer>

export const scanPage = rpc({
  subject: 'ask.content.scan',
  request: ScanPage,
  response: ScannedPage,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const readContent = rpc({
  subject: 'ask.content.read',
  request: ReadContent,
  response: ReadContentAnswer,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})

export const comparePages = rpc({
  subject: 'ask.content.compare',
  request: ComparePages,
  response: ComparePagesAnswer,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
