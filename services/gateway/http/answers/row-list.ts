/** A list as lines of text. It has no room to say where it goes on, so headers do, before the first line. */
import type { FastifyReply } from 'fastify'
import { type ListFormat, mediaTypes } from '../domain/list-format.ts'
import { sendText } from './text-stream.ts'

type RowList = {
  format: Exclude<ListFormat, 'json'>
  rows: AsyncIterable<string>
  /** Null at the end. */
  next: number | null
  path: string
  /** What was asked for, by the names of the contract. */
  query: object
}

/** Sends the rows as they are read, with `X-Next-Offset` and `Link: <…>; rel="next"` (RFC 8288) unless this is the end. */
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
