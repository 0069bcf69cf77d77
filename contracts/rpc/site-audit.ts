/** Requests of the actor `audit-site` to the extractor: the audit of stored pages, and the links between them. */
import { type Static, Type } from 'typebox'
import { AuditFinding } from '../http/actors/audit-onpage.ts'
import { Id, oneOf, orNull, Timestamp, UrlKey } from '../primitives.ts'
import { ReadPageAs } from './actors.ts'
import { Nothing, rpc } from './rpc.ts'

/** Maximum number of pages in one audit, as documented for `audit-site`. */
export const maxPagesOfAudit = 100_000
/** Maximum number of pages in one request. */
export const maxPagesOfBatch = 50
/** Maximum number of other URLs in one request for links, so that it fits into one message. */
export const maxOtherUrls = 300_000
/** Alternates of one page that are compared. */
export const maxAlternates = 100

const Count = Type.Integer({ minimum: 0 })
/** 52 bits of a hash; 0 stands for a missing text. */
const Hash = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** Data that some rules need and the audit of stored pages lacks; `time`: only rendered pages and crawls of earlier versions lack it. */
export const Need = oneOf(['headers', 'redirects', 'site', 'time'])
export type Need = Static<typeof Need>

/** The rules of single pages. `needs`: the rule finds nothing on a stored page without this. */
export const AuditRules = Type.Object({
  rules: Type.Array(
    Type.Object({
      id: Type.String(),
      severity: AuditFinding.properties.severity,
      finds: Type.String(),
      reason: Type.String(),
      source: Type.Object({ name: Type.String(), url: Type.String() }),
      needs: orNull(Need),
    }),
  ),
})
export type AuditRules = Static<typeof AuditRules>

export const AuditPages = Type.Object({
  workId: ReadPageAs.properties.workId,
  projectId: Id,
  runId: Id,
  /** The final URLs. */
  pages: Type.Array(
    Type.Object({ key: UrlKey, url: Type.String(), status: Type.Integer(), fetchedAt: Timestamp }),
    { minItems: 1, maxItems: maxPagesOfBatch },
  ),
  /** Whether the response has `details` instead of the facts. */
  inDetail: Type.Boolean(),
})
export type AuditPages = Static<typeof AuditPages>

/** The data of a page that the rules of a site compare. Hashes of URLs are those of `numberOfKey`. */
export const SiteFacts = Type.Object({
  isIndexed: Type.Boolean(),
  words: Count,
  title: Hash,
  /** Equal for titles that differ only in case, digits, punctuation and the order of words. */
  titleLike: Hash,
  description: Hash,
  descriptionLike: Hash,
  text: Hash,
  /** Simhash of the text: its upper and lower 32 bits. */
  simhash: Type.Tuple([Count, Count]),
  /** The only valid canonical URL; 0: none. */
  canonical: Hash,
  /** Distinct URLs of the alternates. */
  alternates: Type.Array(Hash, { maxItems: maxAlternates }),
  /** The URL to which a meta refresh forwards. */
  refresh: Type.Optional(Hash),
})
export type SiteFacts = Static<typeof SiteFacts>

export const AuditedPage = Type.Union([
  Type.Object({
    /** Each rule with its count, or null if it matches at most once. */
    findings: Type.Array(Type.Tuple([Type.String(), orNull(Count)])),
    /** Null for content other than HTML. */
    facts: orNull(SiteFacts),
    /** The store has the response time of the page. */
    isTimed: Type.Optional(Type.Literal(true)),
  }),
  Type.Object({ details: Type.Array(AuditFinding) }),
  /** The reason why the page was not audited. */
  Type.Object({ unread: Type.String() }),
])
export type AuditedPage = Static<typeof AuditedPage>

/**
 * The first pages of the request in their order, at least one: as many as were audited in a few seconds. Rejected with
 * 503 if too many requests wait.
 */
export const PagesAudited = Type.Object({ pages: Type.Array(AuditedPage) })
export type PagesAudited = Static<typeof PagesAudited>

/** URLs by position: first the pages in the order of the caller, then the other URLs. */
export const MapLinks = Type.Object({
  workId: ReadPageAs.properties.workId,
  projectId: Id,
  runId: Id,
  /** URL keys of the pages, 8 bytes each; base64-encoded. */
  keys: Type.String(),
  /** URL keys of URLs without a page: 8 bytes each, then 4 with the position of the page to which it leads, or -1. */
  others: Type.String(),
  /** A byte for each URL: 1 if the response lists the links to it. Base64-encoded. */
  watched: Type.String(),
  /** Position of the seed; -1: it is not a page. */
  start: Type.Integer({ minimum: -1 }),
  /** Positions of the pages to which the seed forwards by meta refreshes: no click is needed to reach them. */
  forwards: Type.Optional(Type.Array(Count)),
})
export type MapLinks = Static<typeof MapLinks>

/** Numbers of pages, little-endian and base64-encoded. Rejected like `linkGraph`. */
export const LinksMapped = Type.Object({
  /** PageRank: 8 bytes each. */
  scores: Type.String(),
  /** 1 if another page links to the page, with nofollow or without. */
  linked: Type.String(),
  /** Number of other pages with a followed link to it: 4 bytes each. */
  inlinks: Type.String(),
  /** Clicks from the seed, 4 bytes each; -1: followed links do not reach it. */
  clicks: Type.String(),
  /** Links to watched URLs, each once a page: the positions of page and URL, 4 bytes each, by page. */
  links: Type.String(),
  /** Whether links beyond the limit were not read; `linked` and `links` do not depend on them. */
  isCut: Type.Boolean(),
  /** Whether `links` is incomplete. */
  isWatchedCut: Type.Boolean(),
  warnings: Type.Array(Type.String()),
})
export type LinksMapped = Static<typeof LinksMapped>

const ofExtractor = { codec: 'compact', callers: ['gateway'], server: 'extractor' } as const

export const auditRules = rpc({
  subject: 'ask.actors.audit-rules',
  request: Nothing,
  response: AuditRules,
  ...ofExtractor,
})

export const auditPages = rpc({
  subject: 'ask.actors.audit-pages',
  request: AuditPages,
  response: PagesAudited,
  ...ofExtractor,
})

export const mapLinks = rpc({
  subject: 'ask.actors.map-links',
  request: MapLinks,
  response: LinksMapped,
  ...ofExtractor,
})
