/** A text that a site has for crawlers as it was found, as fetcher and extractor remember it for each other. */
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
  /** Whether the text goes on beyond what is kept. */
  truncated: Type.Boolean(),
})
export type SiteFile = Static<typeof SiteFile>
