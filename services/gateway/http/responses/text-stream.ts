/**
 * Sends a text in pieces, at the speed of the client. Stops generating the text when the client leaves, or if it requested
 * only the headers.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Buffers one piece while another is sent; the default would buffer sixteen. */
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
