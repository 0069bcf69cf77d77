/** Sends a list as lines of text. The lines cannot carry the next offset, so headers before the first line do. */
import type { FastifyReply } from 'fastify'
import { type ListFormat, mediaTypes } from '../domain/list-format.ts'
import { sendText } from './text-stream.ts'

type RowList = {
  format: Exclude<ListFormat, 'json'>
  rows: AsyncIterable<string>
  /** The next offset; null at the end. */
  next: number | null
  path: string
  /** The query of the request, with the field names of the contract. */
  query: object
}

/** Sends the rows while they are read, with `X-Next-Offset` and `Link: <…>; rel="next"` (RFC 8288) if there are more. */
export function sendRows(reply: FastifyReply, { format, rows, next, path, query }: RowList) {
  if (next !== null) {
    const words = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, format, offset: next })) {
      if (value !== undefined) words.set(name, String(value))
    }
    reply.header('x-next-offset', String(next))
    reply.header('link', `<${path}?${words}>; rel="next"`)
  }
  return sendText(reply, mediaTypes[format], rows)
}
