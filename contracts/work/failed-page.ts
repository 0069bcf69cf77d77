/** A URL for which no attempt returned a response, in the event of its failure. */
import { type Static, Type } from 'typebox'
import { UrlKey } from '../primitives.ts'

export const FailedPage = Type.Object({
  key: UrlKey,
  reason: Type.String(),
  attempts: Type.Integer(),
  /** The words of the proxy's refusal; absent: the reason needs none, or the event is older than this field. */
  because: Type.Optional(Type.String()),
})
export type FailedPage = Static<typeof FailedPage>
