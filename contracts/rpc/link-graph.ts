/**
 * Ranks and clusters of the pages of a run, computed from its links. The caller has the pages and their URLs, and the
 * server has the links, so messages contain pages as positions in the caller's list.
 */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** Maximum number of pages in one list, as documented for `internal-link-graph`. */
export const maxPagesOfGraph = 100_000
/** Maximum number of URLs that redirected. Others are left out, so that a request fits into one message. */
export const maxRedirectsOfGraph = 350_000

/** Position in the list, counted from 0. */
const Place = Type.Integer({ minimum: 0 })
const Count = Type.Integer({ minimum: 0 })

export const RankLinks = Type.Object({
  /** As in `FetchNow`: the work ends when it is dropped. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  runId: Id,
  /** Maximum length of each list of the response. */
  topN: Type.Integer({ minimum: 1, maximum: 1_000 }),
  /** URL keys of the pages, 8 bytes each, in the order of their URLs; base64-encoded. */
  keys: Type.String(),
  /** URL keys that redirected to one of them: 8 bytes each, then the position in 4, big-endian; base64-encoded. */
  redirects: Type.String(),
  /** Position of the seed; -1: it is not a page. */
  start: Type.Integer({ minimum: -1 }),
  /** Positions of the pages to which the seed forwards by meta refreshes. They are reached like the seed. */
  forwards: Type.Optional(Type.Array(Place)),
})
export type RankLinks = Static<typeof RankLinks>

const Ranked = Type.Tuple([Place, Type.Number()])

/**
 * Rejected with 502 `fetch_failed` (`timeout`, `too_large`) if the graph is too large, and 503 if too many requests
 * wait.
 */
export const RankedLinks = Type.Object({
  /** Each page with its score. */
  pagerank: Type.Array(Ranked),
  /** Each page with its number of edges. */
  donors: Type.Array(Ranked),
  recipients: Type.Array(Ranked),
  /** For each of the recipients, in order: the texts of the links to it, each with its count. */
  anchors: Type.Array(Type.Array(Type.Tuple([Type.String(), Count]))),
  /** Each cluster with its size and its first pages. */
  clusters: Type.Array(Type.Tuple([Count, Type.Array(Place)])),
  edges: Count,
  components: Count,
  /** Number of all clusters, and of all pages in them. */
  orphanClusters: Count,
  orphanPages: Count,
  iterations: Count,
  converged: Type.Boolean(),
  /** Sentences about the parts that were left out. */
  warnings: Type.Array(Type.String()),
})
export type RankedLinks = Static<typeof RankedLinks>

export const linkGraph = rpc({
  subject: 'ask.actors.link-graph',
  request: RankLinks,
  response: RankedLinks,
  codec: 'compact',
  callers: ['gateway'],
  server: 'extractor',
})
