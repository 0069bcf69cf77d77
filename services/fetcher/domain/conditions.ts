/**
 * Asking only for what has changed (RFC 9110, 13): what a page is known again by, as far as it can be trusted and
 * sent, and the fields that ask with it.
 */
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { Validators } from '@tidemark/contracts/work/revisit'
import type { Fetched } from '@tidemark/http/fetch'
import type { Headers } from '@tidemark/http/headers'

/** Bytes of either; what is longer is not cut, for then it would name nothing. */
const longest = 256
const visible = /^[\x20-\x7e]+$/
/**
 * A date names what was sent only if it lies well before it: what changes twice within a second, or by another clock,
 * keeps its date (RFC 9110, 8.8.2.2).
 */
const settledMs = 60_000

/** A run's own fields that make a request conditional or partial; beside them there is no room for ours. */
const ofTheirOwn = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
]

/** Null where the answer is no whole page, or nothing in it would tell a later one from it. */
export function revisitOf({ status, headers, body }: Fetched, now: number): FetchedPage['revisit'] | null {
  if (status !== 200) return null
  const etag = usable(headers.etag)
  const lastModified = usable(headers['last-modified'])
  const isOld = lastModified !== null && ageOf(lastModified, headers.date, now) >= settledMs
  if (etag === null && !isOld) return null
  return { etag, lastModified: isOld ? lastModified : null, sent: body.byteLength }
}

/** Both where both are known: who understands the first leaves the other aside (RFC 9110, 13.1.3). Null for none. */
export function conditionsOf(validators: Validators | undefined, own: Headers): Headers | null {
  if (validators === undefined || ofTheirOwn.some(name => name in own)) return null
  const { etag, lastModified } = validators
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

const usable = (field: string | undefined): string | null =>
  field !== undefined && field.length <= longest && visible.test(field) ? field : null

/** By the origin's own clock, where it tells it; NaN of what is no date. */
const ageOf = (lastModified: string, date: string | undefined, now: number): number =>
  (Date.parse(date ?? '') || now) - Date.parse(lastModified)
