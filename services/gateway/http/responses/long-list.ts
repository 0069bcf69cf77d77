/** Sends a long list in pieces while it is read. Memory stays flat, and other requests need not wait. */
import type { FastifyReply } from 'fastify'
import { mediaTypes } from '../domain/list-format.ts'
import type { Window } from '../domain/window.ts'
import { sendText } from './text-stream.ts'

/** Lists with more items are read and sent in pieces. */
export const pieceLength = 1_000

/**
 * Sends the same JSON as `partOf` for all pieces together. If the list has more items, the pieces must contain one item
 * more than the window.
 */
export const sendLongList = (reply: FastifyReply, window: Window, pieces: AsyncIterable<object[]>) =>
  sendText(reply, mediaTypes.json, partText(window, pieces, warningsText(reply)))

/** Returns the last field of an object that is written as text; empty without warnings. */
export const warningsText = ({ request: { warnings } }: FastifyReply): string =>
  warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : ''

/** Generates the array of all pieces. */
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
