/** A long list as it is read, piece by piece: memory stays flat, and nobody else waits for its end. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Window } from '../domain/window.ts'

/** Sends what `partOf` would give for all pieces together. They hold one item more than the window, if there is one. */
export const sendLongList = (reply: FastifyReply, window: Window, pieces: AsyncIterable<object[]>) =>
  reply.type('application/json; charset=utf-8').send(Readable.from(partText(window, pieces)))

async function* partText({ limit, offset }: Window, pieces: AsyncIterable<object[]>): AsyncGenerator<string> {
  let read = 0
  yield '{"items":['
  for await (const piece of pieces) {
    const items = piece.slice(0, limit - read)
    if (items.length > 0) yield (read > 0 ? ',' : '') + JSON.stringify(items).slice(1, -1)
    read += piece.length
  }
  yield `],"next_offset":${read > limit ? offset + limit : null}}`
}
