/**
 * Checks the headers and cookies of a crawl. They are rejected if they could contain a line break or replace the
 * crawler's own headers. A `User-Agent` among them must not differ from `user_agent`, because robots.txt is judged by one
 * name.
 */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { sent } from '../../http/domain/input.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { isFieldValue } from '../../live-pages/domain/user-agent.ts'
import { type FieldRule, without } from './field-rule.ts'
import { namedAgent } from './user-agent.ts'

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

export const ownHeaders: FieldRule = (request, _context, warn) => {
  if (request.headers) judgeHeaders(request.headers)
  if (request.cookies) judgeCookies(request.cookies)
  return withUserAgent(request, warn)
}

/** Returns the request without a `User-Agent` that names no crawler. */
function withUserAgent(request: CrawlRequest, warn: (warning: string) => void): CrawlRequest {
  const { headers = {}, user_agent = '' } = request
  const name = Object.keys(headers).find(isUserAgent)
  if (name === undefined) return request
  const { [name]: text = '', ...others } = headers
  if (text.length > maxUserAgent)
    refuse('headers', `The header "${name}" may have ${maxUserAgent} characters.`)
  if (namedAgent(text) === null) {
    warn(`the header ${name} was ignored, because it is empty or begins with InternalCrawler/`)
    return Object.keys(others).length > 0 ? { ...request, headers: others } : without(request, 'headers')
  }
  const named = namedAgent(user_agent)
  if (named !== null && named !== text.trim())
    throw refusal(
      'user_agent',
      'conflicting_fields',
      `user_agent is ${sent(user_agent)}, but the header "${name}" has another value. Send one of them.`,
    )
  return request
}

/** Returns the `User-Agent` among the headers of a checked request, or null. */
export function agentAmongHeaders({ headers = {} }: Pick<CrawlRequest, 'headers'>): string | null {
  const found = Object.entries(headers).find(([name]) => isUserAgent(name))
  return found?.[1].trim() ?? null
}

const isUserAgent = (name: string): boolean => name.toLowerCase() === 'user-agent'

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
