/** The header fields of a response that are stored with its page, for web archives. */
import type { Headers } from '@tidemark/http/headers'

/** Maximum characters of all lines. A field that does not fit is left out. */
const maxCharacters = 8192

/** Fields of the connection, which end with it, and cookies, which are the secret of one visitor. */
const dropped = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'set-cookie2',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Returns a line `name: value` per field, in the order of the response. */
export function keptHeaders(headers: Headers): string {
  let lines = ''
  for (const name in headers) {
    if (dropped.has(name)) continue
    const line = `${name}: ${headers[name]}\n`
    if (lines.length + line.length <= maxCharacters) lines += line
  }
  return lines
}
