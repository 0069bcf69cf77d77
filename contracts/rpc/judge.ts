/** A question to crawl-coordinator: which of these URLs a run with these settings would fetch, and why not the others. */
import { type Static, Type } from 'typebox'
import { EstimatedOut } from '../http/estimate.ts'
import { RunSettings } from '../run-settings.ts'
import { RobotsAnswer } from './map.ts'
import { rpc } from './rpc.ts'

export const JudgeUrls = Type.Object({
  /** Who asks: tenants share the time in which patterns are searched. */
  projectId: Type.Optional(Type.Integer()),
  /** Where the run would begin, after redirects. */
  url: Type.String(),
  settings: RunSettings,
  robots: Type.Array(RobotsAnswer),
  /** In the order in which they would be found, one click from the beginning. */
  urls: Type.Array(Type.String(), { maxItems: 50_000 }),
})
export type JudgeUrls = Static<typeof JudgeUrls>

export const JudgeUrlsAnswer = Type.Object({
  /** URLs that were judged: each once, and the beginning. */
  judged: Type.Integer(),
  admitted: Type.Integer(),
  /** Searching the patterns took too long, so the last of the URLs were not judged. */
  isCut: Type.Optional(Type.Literal(true)),
  /** Some of those admitted. */
  in: Type.Array(Type.String()),
  /** Some of the others, of every rule that kept any out. */
  out: Type.Array(EstimatedOut),
  /** Between two requests to the host, in milliseconds. */
  delayMs: Type.Integer(),
})
export type JudgeUrlsAnswer = Static<typeof JudgeUrlsAnswer>

export const judgeUrls = rpc({
  subject: 'ask.runs.judge',
  request: JudgeUrls,
  response: JudgeUrlsAnswer,
  callers: ['gateway'],
  server: 'crawl-coordinator',
})
