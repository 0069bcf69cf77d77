/** A file of a site for crawlers, in the form in which fetcher and extractor cache it for each other. */
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
