/**
 * An answer whose text comes piece by piece. A client that reads slowly is waited for, but not for ever; when it is
 * gone, or asked for the headers alone, the text is not asked for any more.
 */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** One piece waits while another is sent; the default would read sixteen ahead. */
const oneAhead = { highWaterMark: 1 }

/** After so long without a byte taken of what waits for it, a client has left without a word. */
const stalledMs = 60_000

export function sendText(
  reply: FastifyReply,
  type: string,
  text: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  limitMs: number = stalledMs,
): FastifyReply {
  const stream = Readable.from(text, oneAhead)
  if (reply.request.method === 'HEAD') stream.destroy()
  else endWhenStalled(reply, limitMs)
  return reply.type(type).send(stream)
}

/** Node tells of a connection on which nothing moved, which is also one for which we had nothing yet. */
function endWhenStalled({ raw }: FastifyReply, limitMs: number): void {
  const { socket } = raw
  if (socket === null) return
  raw.setTimeout(limitMs, () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limitMs)
  })
}
