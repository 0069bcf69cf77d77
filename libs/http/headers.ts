/** Header fields on their way out and in: which may be sent, where they may follow, and how answers are read. */
import type { IncomingHttpHeaders } from 'undici/types/header.js'

export type Headers = Record<string, string>

// They describe the connection, which is ours, or name the host, which is the URL's (RFC 9110, 7.6.1).
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

// What says nothing about a customer, and so may be told to anybody.
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

const aboutBody = /^content-/

// Of the fields about a body those that a redirect needs along with it; any other name may be a customer's own.
const ofBody = new Set(['content-encoding', 'content-language', 'content-type'])

/** The caller's fields in lower case, without those that belong to the connection. */
export function sendable(headers: Headers): Headers {
  return pick(headers, name => !ours.has(name))
}

/** What is left of them when a redirect turns to another origin: nothing that could be a secret. */
export function forStrangers(headers: Headers): Headers {
  return pick(headers, name => harmless.has(name) || ofBody.has(name))
}

/** What is left when a redirect turns a POST into a GET. */
export function withoutBody(headers: Headers): Headers {
  return pick(headers, name => !aboutBody.test(name))
}

/** An answer's fields as one string each: repeated ones joined by `, `, and set-cookie by a line break. */
export function joined(headers: IncomingHttpHeaders): Headers {
  const result: Headers = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (typeof value === 'string') result[name] = value
    else if (value) result[name] = value.join(name === 'set-cookie' ? '\n' : ', ')
  }
  return result
}

/** Content-Encoding as a list, in the order in which the encodings were applied (RFC 9110, 8.4). */
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
