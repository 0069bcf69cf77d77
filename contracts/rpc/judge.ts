/**
 * A request to crawl-coordinator: decides which of these URLs a run with these settings would fetch, with the
 * reasons.
 */
import { type Static, Type } from 'typebox'
import { EstimatedOut } from '../http/estimate.ts'
import { RunSettings } from '../run-settings.ts'
import { RobotsResponse } from './map.ts'
import { rpc } from './rpc.ts'

export const JudgeUrls = Type.Object({
  /** The tenant: tenants share the time for pattern matching. */
  projectId: Type.Optional(Type.Integer()),
  /** The seed of the run, after redirects. */
  url: Type.String(),
  /** The seed before redirects: only its site receives the headers of the client. Absent: `url`. */
  seed: Type.Optional(Type.String()),
  settings: RunSettings,
  robots: Type.Array(RobotsResponse),
  /** URLs one link from the seed, in the order in which a crawl would find them. */
  urls: Type.Array(Type.String(), { maxItems: 50_000 }),
})
export type JudgeUrls = Static<typeof JudgeUrls>

export const JudgeUrlsResponse = Type.Object({
  /** Number of judged URLs without duplicates, including the seed. */
  judged: Type.Integer(),
  admitted: Type.Integer(),
  /** Pattern matching took too long, so the last URLs were not judged. */
  isCut: Type.Optional(Type.Literal(true)),
  /** Samples of the admitted URLs. */
  in: Type.Array(Type.String()),
  /** Samples of the other URLs, for every rule that excluded any. */
  out: Type.Array(EstimatedOut),
  /** Milliseconds between two requests to the host. */
  delayMs: Type.Integer(),
})
export type JudgeUrlsResponse = Static<typeof JudgeUrlsResponse>

export const judgeUrls = rpc({
  subject: 'ask.runs.judge',
  request: JudgeUrls,
  response: JudgeUrlsResponse,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})
