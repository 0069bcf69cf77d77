/** The bodies of stored pages as resources. A long one is read in parts, each with the address of the next. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { newFence, visible } from './answers/fence.ts'
import { wholeAt } from './answers/headings.ts'
import { tokensOf } from './answers/tokens.ts'
import { type Api, ApiError } from './api/api.ts'
import { maxBudget } from './tools/tool.ts'

const formats: Readonly<Record<string, string>> = { markdown: 'text/markdown', html: 'text/html' }
const address = /^tidemark:\/\/pages\/(\d{1,15})\/(markdown|html)(?:\?offset=(\d{1,9}))?$/

/** Returns a part of a body, fenced as untrusted. It has at most as many tokens as the largest answer of a tool. */
export async function readResource(api: Api, { href: uri }: URL, signal: AbortSignal) {
  const [, id, format = '', offset = '0'] = address.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  const { body } = await api('GET', `/v1/pages/${id}`, { query: { format }, signal }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 404) throw new ResourceNotFoundError(uri, error.message)
      // The address is valid, so the agent may try again, or reads which limit it has reached.
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
    },
  )
  const whole = String(body[format] ?? '')
  const part = partOf(whole, Math.min(Number(offset), whole.length))
  const fence = newFence()
  const next =
    part.end < whole.length ? `\nThe next part: tidemark://pages/${id}/${format}?offset=${part.end}` : ''
  const text = `${fence.open(String(body.url))}\n${part.text}\n${fence.close}${next}`
  return { contents: [{ uri, mimeType: formats[format] ?? 'text/plain', text }] }
}

/** Tokens for the marks and the address of the next part. */
const frame = 400

function partOf(whole: string, from: number): { text: string; end: number } {
  let length = Math.min(whole.length - from, maxBudget * 4)
  for (;;) {
    const end =
      from + length >= whole.length ? whole.length : Math.max(from + 1, wholeAt(whole, from + length))
    const text = visible(whole.slice(from, end))
    if (tokensOf(text) <= maxBudget - frame) return { text, end }
    length = Math.floor(length * 0.8)
  }
}
