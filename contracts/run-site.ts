/** What the site of a run says to AI bots, as it was when the run began. Facet `site`, written by the extractor once. */
import { type Static, Type } from 'typebox'
import { commitOf, fact } from './commit.ts'
import { orNull } from './primitives.ts'

export const RunSiteEvent = Type.Union([
  fact('SitePolicyRead', {
    /** Of the seed, without a slash at the end. */
    origin: Type.String(),
    /** HTTP status of robots.txt; null where there was no answer. */
    robotsStatus: orNull(Type.Integer()),
    /** Each bot's policy in one word. */
    aiBotPolicy: Type.Record(Type.String(), Type.String()),
    /** Null where there is none, or it may not be read. */
    llmsTxt: orNull(Type.String()),
    /** Whether the text goes on beyond what is kept of it. */
    llmsTxtTruncated: Type.Boolean(),
    llmsFullTxt: orNull(Type.String()),
    llmsFullTxtTruncated: Type.Boolean(),
  }),
])
export type RunSiteEvent = Static<typeof RunSiteEvent>

export const RunSiteCommit = commitOf(RunSiteEvent)
export type RunSiteCommit = Static<typeof RunSiteCommit>
