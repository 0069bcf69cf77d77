/**
 * An answer whose text comes piece by piece. A client that reads slowly is waited for; when it is gone, or asked for the
 * headers alone, the text is not asked for any more.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** One piece waits while another is sent; the default would read sixteen ahead. */
const oneAhead = { highWaterMark: 1 }

export function sendText(
  reply: FastifyReply,
  type: string,
  text: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
): FastifyReply {
  const stream = Readable.from(text, oneAhead)
  if (reply.request.method === 'HEAD') stream.destroy()
  return reply.type(type).send(stream)
}
