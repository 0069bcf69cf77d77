/** The server-sent events of an actor's progress (WHATWG HTML, 9.2). */
import type { ActorProgress } from '@tidemark/contracts/http/actors/actor'
import type { JsonText } from './json-text.ts'

/** Clients must not reconnect after a connection that ended early: that would repeat the work. */
export const opening = 'retry: 86400000\n\n'
export const keepAliveComment = ':\n\n'

export const progressText = (progress: ActorProgress): string => textOf('progress', JSON.stringify(progress))
export const errorEvent = (envelope: object): string => textOf('error', JSON.stringify(envelope))

/** Generates the result in pieces. @param json without line breaks, as `JSON.stringify` produces it */
export function* resultText(json: JsonText): Generator<string | Buffer> {
  yield beginningOf('result')
  yield* json.pieces()
  yield end
}

const beginningOf = (event: string): string => `event: ${event}\ndata: `
const end = '\n\n'
const textOf = (event: string, data: string): string => beginningOf(event) + data + end
