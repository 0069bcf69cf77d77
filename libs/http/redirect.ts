/**
 * Determines the target of a redirect, and the headers that it may receive. The site chooses the target, so it is
 * parsed and judged like a customer's URL, and a customer's headers are not sent to another origin.
 */

import { forOtherOrigins, type Headers, withoutBody } from './headers.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import { parseTarget } from './target.ts'

const redirects = new Set([301, 302, 303, 307, 308])

/** Returns the target of a redirect; null: the response is not a redirect. */
export function locationOf(status: number, headers: Headers): string | null {
  const location = redirects.has(status) ? headers.location : undefined
  return location ? asSent(location) : null
}

/**
 * Returns the next request (Fetch standard, HTTP-redirect fetch).
 * @throws FetchError `bad_url` if the location is not a URL that may be requested
 */
export function follow(outgoing: OutgoingRequest, status: number, location: string): OutgoingRequest {
  const from = outgoing.url
  const url = parseTarget(URL.parse(location, from.href)?.href ?? location)
  const { method, body, headers } = outgoing
  const scoped = keepsOrigin(from, url) ? headers : forOtherOrigins(headers)
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  if (!becomesGet) return { ...outgoing, url, method, body, headers: scoped }
  return { ...outgoing, url, method: 'GET', body: null, headers: withoutBody(scoped) }
}

/** Returns whether the target is the same origin or its https twin, but never http from https. */
export function keepsOrigin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.hostname === to.hostname && to.protocol === 'https:' && from.port === '' && to.port === ''
}

// Field values are decoded byte by byte. A URL in them is UTF-8 if it is not plain ASCII.
function asSent(location: string): string {
  const bytes = Buffer.from(location, 'latin1')
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? location : text
}
