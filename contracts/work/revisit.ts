/**
 * Pages of an earlier run that a run does not fetch again: conditional requests of a monitor's run (RFC 9110, 13), and
 * pages that a fork takes from the store.
 */
import { type Static, Type } from 'typebox'
import { Id, orNull, Timestamp } from '../primitives.ts'

/** The validators of a page, as its origin sent them: `ETag` and `Last-Modified`. At least one is set. */
export const Validators = Type.Object({ etag: orNull(Type.String()), lastModified: orNull(Type.String()) })
export type Validators = Static<typeof Validators>

/**
 * The origin confirmed that the page is unchanged since the run `since`. `bytes`: body bytes that it did not send.
 */
export const NotModified = Type.Object({ since: Id, bytes: Type.Integer({ minimum: 0 }) })

/**
 * The response of a page in the run that a fork continues, without the data that the content store has. `fetchedAt` is
 * the time at which its origin sent it.
 */
export const StoredAnswer = Type.Object({
  status: Type.Integer(),
  fetchedAt: Timestamp,
  rendered: Type.Optional(Type.Literal(true)),
})
export type StoredAnswer = Static<typeof StoredAnswer>

/** The page was taken from the run `since` without a request, and costs nothing. */
export const Carried = Type.Object({ since: Id })

/**
 * The reason of a retry: the page is to be copied from an earlier run, but that copy is deleted or no longer correct.
 */
export const staleCopy = 'stale_copy'
