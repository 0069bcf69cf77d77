/** A long list as it is read, piece by piece: memory stays flat, and nobody else waits for its end. */
import type { FastifyReply } from 'fastify'
import { mediaTypes } from '../domain/list-format.ts'
import type { Window } from '../domain/window.ts'
import { sendText } from './text-stream.ts'

/** A list of more items is read and sent in pieces. */
export const pieceLength = 1_000

/** Sends what `partOf` would give for all pieces together. They hold one item more than the window, if there is one. */
export const sendLongList = (reply: FastifyReply, window: Window, pieces: AsyncIterable<object[]>) =>
  sendText(reply, mediaTypes.json, partText(window, pieces, warningsText(reply)))

/** The last field of an object that is written as text: nothing where there is nothing to warn of. */
export const warningsText = ({ request: { warnings } }: FastifyReply): string =>
  warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : ''

/** The array of all pieces together. */
export async function* arrayText(pieces: AsyncIterable<object[]>): AsyncGenerator<string> {
  let separator = ''
  yield '['
  for await (const items of pieces) {
    if (items.length === 0) continue
    yield separator + JSON.stringify(items).slice(1, -1)
    separator = ','
  }
  yield ']'
}

async function* partText(
  { limit, offset }: Window,
  pieces: AsyncIterable<object[]>,
  warnings: string,
): AsyncGenerator<string> {
  let read = 0
  yield '{"items":'
  yield* arrayText(withinLimit())
  yield `,"next_offset":${read > limit ? offset + limit : null}${warnings}}`

  async function* withinLimit() {
    for await (const piece of pieces) {
      yield piece.slice(0, limit - read)
      read += piece.length
    }
  }
}
