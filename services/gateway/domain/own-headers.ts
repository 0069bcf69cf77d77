/** Headers and cookies that a client wants sent with its crawl: refused when they could break out of their line. */
import { type FieldRule, refusal } from './field-rule.ts'
import { sent } from './input.ts'

const mostBytes = 65_536

/** A token of RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
/** Field content of RFC 9110, 5.5: no control characters but the tab. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/

/** They belong to the connection or to the fetcher, and sending them would change what a request is. */
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

/** Whether a text may be the value of a header, which nothing but a line of its own can be. */
export const isFieldValue = (text: string): boolean => value.test(text)

export const ownHeaders: FieldRule = request => {
  if (request.headers) judgeHeaders(request.headers)
  if (request.cookies) judgeCookies(request.cookies)
  return request
}

function judgeHeaders(headers: Record<string, string>): void {
  const entries = Object.entries(headers)
  for (const [name, text] of entries) {
    if (!token.test(name)) refuse('headers', `${sent(name)} is not a header name.`)
    if (ours.has(name.toLowerCase())) refuse('headers', `The header "${name}" is set by the crawler itself.`)
    if (!isFieldValue(text)) refuse('headers', `The header "${name}" has characters that no header may have.`)
  }
  const bytes = entries.reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  if (bytes > mostBytes) refuse('headers', `All headers together may have ${mostBytes} bytes.`)
}

function judgeCookies(cookies: string): void {
  if (!isFieldValue(cookies)) refuse('cookies', 'The cookies have characters that no header may have.')
}

function refuse(field: string, message: string): never {
  throw refusal(field, 'bad_value', message)
}
