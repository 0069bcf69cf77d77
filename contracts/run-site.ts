/**
 * The policy of a run's site for each AI bot, and its llms.txt files. The extractor appends the event once, to
 * `runs.<shard>.<run>.site`.
 */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { orNull } from './primitives.ts'

export const RunSiteEvent = Type.Union([
  fact('SitePolicyRead', {
    /** Origin of the seed, without a trailing slash. */
    origin: Type.String(),
    /** HTTP status of robots.txt; null: no response. */
    robotsStatus: orNull(Type.Integer()),
    /** Each bot's policy in one word. */
    aiBotPolicy: Type.Record(Type.String(), Type.String()),
    /** Null if the site has none or forbids reading it. */
    llmsTxt: orNull(Type.String()),
    /** Whether the stored text is cut. */
    llmsTxtTruncated: Type.Boolean(),
    llmsFullTxt: orNull(Type.String()),
    llmsFullTxtTruncated: Type.Boolean(),
  }),
])
export type RunSiteEvent = Static<typeof RunSiteEvent>

export const RunSiteCommit = commitOf(RunSiteEvent)
export type RunSiteCommit = Static<typeof RunSiteCommit>
