/** A question to the extractor: what a site says to AI bots. The answer is `encodeCompact` of `RobotsPolicy`. */
import { type Static, Type } from 'typebox'

export const ReadRobotsPolicy = Type.Object({
  url: Type.String(),
  /** Whom the verdict is for; without it this service. */
  userAgent: Type.Optional(Type.String()),
})
export type ReadRobotsPolicy = Static<typeof ReadRobotsPolicy>
