/**
 * Selects the header fields of a request, also after a redirect, and parses those of a response.
 */
import type { IncomingHttpHeaders } from 'undici/types/header.js'

export type Headers = Record<string, string>

// Fields of the connection, which undici manages, and the host, which comes from the URL (RFC 9110, 7.6.1).
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

// Fields without customer data, which every origin may receive.
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

const aboutBody = /^content-/

// Fields about the body that a redirect needs. Other names may contain customer data.
const ofBody = new Set(['content-encoding', 'content-language', 'content-type'])

/** Returns the caller's fields in lower case, without those of the connection. */
export function sendable(headers: Headers): Headers {
  return pick(headers, name => !ours.has(name))
}

/** Returns the fields for a redirect to another origin, without possible secrets. */
export function forOtherOrigins(headers: Headers): Headers {
  return pick(headers, name => harmless.has(name) || ofBody.has(name))
}

/** Returns the fields for a redirect that turns a POST into a GET. */
export function withoutBody(headers: Headers): Headers {
  return pick(headers, name => !aboutBody.test(name))
}

/**
 * Returns each field of a response as one string: repeated ones joined by `, `, set-cookie by a line break. X-Robots-Tag
 * begins with the rules for all bots, because the name of a bot applies to every rule behind it. A URL may contain commas,
 * so the first Location counts.
 */
export function joined(headers: IncomingHttpHeaders): Headers {
  const result: Headers = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (typeof value === 'string') result[name] = value
    else if (name === 'location' && value?.[0] !== undefined) result[name] = value[0]
    else if (name === 'x-robots-tag' && value) result[name] = namesLast(value).join(', ')
    else if (value) result[name] = value.join(name === 'set-cookie' ? '\n' : ', ')
  }
  return result
}

/** Matches a value that begins with the name of a bot. `max-snippet:` and `unavailable_after:` are rules. */
const beginsWithName = /^(?!max-|unavailable_after)[\w./ -]+:/i

const namesLast = (values: readonly string[]): string[] =>
  values.toSorted((one, other) => Number(beginsWithName.test(one)) - Number(beginsWithName.test(other)))

/** Returns Content-Encoding as a list, in the order in which the encodings were applied (RFC 9110, 8.4). */
export function encodingsOf(headers: Headers): string[] {
  const value = headers['content-encoding']
  if (value === undefined) return []
  const tokens = value.toLowerCase().split(',')
  return tokens.map(token => token.trim()).filter(token => token !== '' && token !== 'identity')
}

function pick(headers: Headers, wanted: (name: string) => boolean): Headers {
  const result: Headers = {}
  for (const key of Object.keys(headers)) {
    const name = key.toLowerCase()
    const value = headers[key]
    if (value !== undefined && wanted(name)) result[name] = value
  }
  return result
}
