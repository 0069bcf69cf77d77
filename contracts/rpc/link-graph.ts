/**
 * What the links of a run make of its pages. The caller has the pages and their URLs, and the server has the links, so
 * pages go over the wire as positions in the caller's list.
 */
import { type Static, Type } from 'typebox'
import { Id } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** Of one list of pages. The contract of `internal-link-graph` has it so. */
export const maxPagesOfGraph = 100_000
/** URLs that redirected; any beyond that are left out, so that a question fits into one message. */
export const maxRedirectsOfGraph = 350_000

/** From 0. */
const Place = Type.Integer({ minimum: 0 })
const Count = Type.Integer({ minimum: 0 })

export const RankLinks = Type.Object({
  /** As in `FetchNow`: the work ends when it is dropped. */
  workId: Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: -1 }),
  projectId: Id,
  runId: Id,
  /** Most of each list that is answered. */
  topN: Type.Integer({ minimum: 1, maximum: 1_000 }),
  /** URL keys of the pages, 8 bytes each, in the order of their URLs; in base64. */
  keys: Type.String(),
  /** URL keys of what redirected to one of them, 8 bytes and its place in 4, big-endian; in base64. */
  redirects: Type.String(),
  /** The page with which the run began; -1 where that is none. */
  start: Type.Integer({ minimum: -1 }),
})
export type RankLinks = Static<typeof RankLinks>

const Ranked = Type.Tuple([Place, Type.Number()])

/** Refused with 502 `fetch_failed` (`timeout`, `too_large`) where it is too much, 503 where too much waits. */
export const RankedLinks = Type.Object({
  /** Each with its score. */
  pagerank: Type.Array(Ranked),
  /** Each with its edges. */
  donors: Type.Array(Ranked),
  recipients: Type.Array(Ranked),
  /** Of each of the recipients in turn the texts of the links to it, each with its count. */
  anchors: Type.Array(Type.Array(Type.Tuple([Type.String(), Count]))),
  /** Each with its size and its first pages. */
  clusters: Type.Array(Type.Tuple([Count, Type.Array(Place)])),
  edges: Count,
  components: Count,
  /** All clusters, and all pages in them. */
  orphanClusters: Count,
  orphanPages: Count,
  iterations: Count,
  converged: Type.Boolean(),
  /** What was left out, in words. */
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
