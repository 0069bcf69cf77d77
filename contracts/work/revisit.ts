/** How a monitor's run asks for a page that an earlier run has: only for what has changed since (RFC 9110, 13). */
import { type Static, Type } from 'typebox'
import { Id, orNull } from '../primitives.ts'

/** What an origin named a page's content by, in its own words: `ETag` and `Last-Modified`. At least one is there. */
export const Validators = Type.Object({ etag: orNull(Type.String()), lastModified: orNull(Type.String()) })
export type Validators = Static<typeof Validators>

/** The origin said that a page is still what the run `since` has; `bytes` of body it did not have to send. */
export const NotModified = Type.Object({ since: Id, bytes: Type.Integer({ minimum: 0 }) })
export type NotModified = Static<typeof NotModified>

/** The reason of a retry: the page was not modified, but what the earlier run has of it is gone, or no longer right. */
export const staleCopy = 'stale_copy'
