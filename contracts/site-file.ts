/** A text of a site for crawlers, as fetcher and extractor cache it for each other. */
import { type Static, Type } from 'typebox'
import { orNull, Timestamp } from './primitives.ts'

export const SiteFile = Type.Object({
  fetchedAt: Timestamp,
  /** HTTP status; null where there was no answer that could be read. */
  status: orNull(Type.Integer()),
  /** Why there was none: a stable code and a sentence. */
  error: orNull(Type.Object({ reason: Type.String(), message: Type.String() })),
  /** Null where the answer is no such text. */
  text: orNull(Type.String()),
  /** Whether the stored text is cut. */
  truncated: Type.Boolean(),
})
export type SiteFile = Static<typeof SiteFile>
