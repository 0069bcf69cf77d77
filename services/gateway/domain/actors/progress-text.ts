/** What a client that follows an actor reads: server-sent events (WHATWG HTML, 9.2). */
import type { ActorProgress } from '@tidemark/contracts/http/actor'

/** A connection that ends early is not to be made again: that would do the work twice. */
export const opening = 'retry: 86400000\n\n'
export const signOfLife = ':\n\n'

export const progressText = (progress: ActorProgress): string => textOf('progress', JSON.stringify(progress))
/** @param json without line breaks, as `JSON.stringify` makes it */
export const resultText = (json: string): string => textOf('result', json)
export const errorText = (envelope: object): string => textOf('error', JSON.stringify(envelope))

const textOf = (event: string, data: string): string => `event: ${event}\ndata: ${data}\n\n`
