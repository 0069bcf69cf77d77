/** What it means for whoever waits that a thread gave up a document of the client's own, or has no room for it. */
import { type Refusal, refuse } from '@tidemark/bus/ask'
import type { Why } from '../turns/thread.ts'

/** 503: it may be asked again. */
export const busy = (): Refusal => refuse('unavailable', { retryAfterSeconds: 2 })

/** 422: the document is not one that is read here. */
export const unsupported = (message: string): Refusal =>
  refuse('unsupported_input', { field: 'data', message })

export const ofDocuments: Record<Why, () => Refusal> = {
  time: () => unsupported('Reading the document took too long. Send less of it.'),
  memory: () => unsupported('Reading the document took too much memory. Send less of it.'),
  patience: busy,
  closed: busy,
}
