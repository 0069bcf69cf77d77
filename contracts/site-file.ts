/** Files of a site for crawlers: in the form in which fetcher and extractor cache them for each other, and as rules. */
import { type Static, Type } from 'typebox'
import { orNull, Timestamp } from './primitives.ts'

export const SiteFile = Type.Object({
  fetchedAt: Timestamp,
  /** HTTP status; null: no readable response. */
  status: orNull(Type.Integer()),
  /** Reason why there was no response: a stable code and a sentence. */
  error: orNull(Type.Object({ reason: Type.String(), message: Type.String() })),
  /** Null: the response is not such a file. */
  text: orNull(Type.String()),
  /** Whether the stored text is cut. */
  truncated: Type.Boolean(),
})
export type SiteFile = Static<typeof SiteFile>

/** The rules of a robots.txt for this crawler, as the events of a run keep them. */
export const RobotsGroup = Type.Object({
  rules: Type.Array(Type.Object({ allow: Type.Boolean(), pattern: Type.String() })),
  crawlDelay: orNull(Type.Number()),
  /** The user agent of the group with the rules; absent if no group matches the crawler, and in earlier versions. */
  agent: Type.Optional(Type.String()),
})
export type RobotsGroup = Static<typeof RobotsGroup>
