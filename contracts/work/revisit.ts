/** Conditional requests of a monitor's run for pages of an earlier run (RFC 9110, 13). */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'

/** The validators of a page, as its origin sent them: `ETag` and `Last-Modified`. At least one is set. */
export const Validators = Type.Object({ etag: orNull(Type.String()), lastModified: orNull(Type.String()) })
export type Validators = Static<typeof Validators>

/**
 * The origin confirmed that the page is unchanged since the run `since`. `bytes`: body bytes that it did not send.
 */
export const NotModified = Type.Object({ since: Id, bytes: Type.Integer({ minimum: 0 }) })
export type NotModified = Static<typeof NotModified>

/**
 * The reason of a retry: the page was not modified, but the copy of the earlier run is deleted or no longer correct.
 */
export const staleCopy = 'stale_copy'
