/** What a client that follows an actor reads: server-sent events (WHATWG HTML, 9.2). */
import type { ActorProgress } from '@tidemark/contracts/http/actors/actor'
import type { JsonText } from './json-text.ts'

/** A connection that ends early is not to be made again: that would do the work twice. */
export const opening = 'retry: 86400000\n\n'
export const signOfLife = ':\n\n'

export const progressText = (progress: ActorProgress): string => textOf('progress', JSON.stringify(progress))
export const errorText = (envelope: object): string => textOf('error', JSON.stringify(envelope))

/** Piece by piece. @param json without line breaks, as `JSON.stringify` makes it */
export function* resultText(json: JsonText): Generator<string | Buffer> {
  yield beginningOf('result')
  yield* json.pieces()
  yield end
}

const beginningOf = (event: string): string => `event: ${event}\ndata: `
const end = '\n\n'
const textOf = (event: string, data: string): string => beginningOf(event) + data + end
