/** Sends a list as a file of text lines. The next offset is in headers, because the lines have no place for it. */
import type { FastifyReply } from 'fastify'
import { mediaTypes } from '../domain/list-format.ts'
import type { RowFormat } from '../domain/list-rows.ts'
import { sendText } from './text-stream.ts'

type RowList = {
  format: RowFormat
  rows: AsyncIterable<string>
  /** The next offset; null at the end. */
  next: number | null
  /**
   * Path of the request. It is the target of the `Link` header and gives the file its name: `/v1/crawls/12/links`
   * becomes `crawl-12-links.csv`.
   */
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
  reply.header('content-disposition', `attachment; filename="${fileOf(path)}.${format}"`)
  return sendText(reply, mediaTypes[format], rows)
}

const fileOf = (path: string): string =>
  path
    .replace(/^\/(v1\/)?/, '')
    .replace(/^crawls\b/, 'crawl')
    .replaceAll('/', '-')
