/**
 * Checks the headers and cookies of a crawl. They are rejected if they could contain a line break or replace the
 * crawler's own headers. A `User-Agent` becomes the `user_agent` of the crawl, by which robots.txt is judged.
 */

import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { sent } from '../../http/domain/input.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { isFieldValue } from '../../reading/domain/user-agent.ts'
import { type FieldRule, without } from './field-rule.ts'

const maxBytes = 65_536
/** As many characters as `user_agent` may have. */
const maxUserAgent = 1024

/** A token of RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/

/** Headers that belong to the connection or the fetcher, and would change the request. */
const ours = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'http2-settings',
  'proxy-authorization',
  'proxy-connection',
  'accept-encoding',
])

export const ownHeaders: FieldRule = request => {
  if (request.headers) judgeHeaders(request.headers)
  if (request.cookies) judgeCookies(request.cookies)
  return withUserAgent(request)
}

function withUserAgent(request: CrawlRequest): CrawlRequest {
  const { headers = {}, user_agent: given = '' } = request
  const name = Object.keys(headers).find(name => name.toLowerCase() === 'user-agent')
  if (name === undefined) return request
  const { [name]: named = '', ...others } = headers
  if (named.length > maxUserAgent)
    refuse('headers', `The header "${name}" may have ${maxUserAgent} characters.`)
  if (given.trim() !== '' && given.trim() !== named.trim())
    throw refusal(
      'user_agent',
      'conflicting_fields',
      `user_agent is ${sent(given)}, but the header "${name}" is ${sent(named)}. Send one of them.`,
    )
  const rest = Object.keys(others).length > 0 ? { ...request, headers: others } : without(request, 'headers')
  return { ...rest, user_agent: named }
}

function judgeHeaders(headers: Record<string, string>): void {
  const entries = Object.entries(headers)
  const names = new Map<string, string>()
  for (const [name, text] of entries) {
    if (!token.test(name)) refuse('headers', `${sent(name)} is not a header name.`)
    if (ours.has(name.toLowerCase())) refuse('headers', `The header "${name}" is set by the crawler itself.`)
    if (!isFieldValue(text))
      refuse('headers', `The header "${name}" contains characters that are not allowed in headers.`)
    const same = names.get(name.toLowerCase())
    if (same !== undefined)
      refuse(
        'headers',
        `The headers "${same}" and "${name}" have the same name, because case does not count. Send one of them.`,
      )
    names.set(name.toLowerCase(), name)
  }
  const bytes = entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  if (bytes > maxBytes) refuse('headers', `All headers together may have ${maxBytes} bytes.`)
}

function judgeCookies(cookies: string): void {
  if (!isFieldValue(cookies))
    refuse('cookies', 'The cookies contain characters that are not allowed in headers.')
}

function refuse(field: string, message: string): never {
  throw refusal(field, 'bad_value', message)
}
