/**
 * Makes requests conditional (RFC 9110, 13): selects the validators of a page that can be trusted and sent, and
 * returns the header fields that use them.
 */
import type { FetchedPage } from '@tidemark/contracts/work/page'
import type { Validators } from '@tidemark/contracts/work/revisit'
import type { Fetched } from '@tidemark/http/fetch'
import type { Headers } from '@tidemark/http/headers'

/** Maximum characters of a validator. A longer one is dropped, because a truncated validator identifies no version. */
const maxLength = 256
const visible = /^[\x20-\x7e]+$/
/**
 * Minimum milliseconds between a date of change and the response. A younger date does not identify a version: a
 * resource that changes twice within a second, or by another clock, keeps its date (RFC 9110, 8.8.2.2).
 */
const settledMs = 60_000

/** A run's own fields that make a request conditional or partial. Ours are then not sent. */
const ownConditions = [
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'range',
]

/** Returns the validators of a response, or null if it is not a whole page or has no usable validator. */
export function revisitOf({ status, headers, body }: Fetched, now: number): FetchedPage['revisit'] | null {
  if (status !== 200) return null
  const etag = usable(headers.etag)
  const lastModified = usable(headers['last-modified'])
  const isOld = lastModified !== null && ageOf(lastModified, headers.date, now) >= settledMs
  if (etag === null && !isOld) return null
  return { etag, lastModified: isOld ? lastModified : null, sent: body.byteLength }
}

/**
 * Returns the conditional fields: both if both validators are known, because servers that understand the first ignore
 * the other (RFC 9110, 13.1.3). Null without validators.
 */
export function conditionsOf(validators: Validators | undefined, own: Headers): Headers | null {
  if (validators === undefined || ownConditions.some(name => name in own)) return null
  const { etag, lastModified } = validators
  return {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
}

const usable = (field: string | undefined): string | null =>
  field !== undefined && field.length <= maxLength && visible.test(field) ? field : null

/** Returns the age in ms, by the origin's own clock if it sends a date; NaN for an invalid date. */
const ageOf = (lastModified: string, date: string | undefined, now: number): number =>
  (Date.parse(date ?? '') || now) - Date.parse(lastModified)
