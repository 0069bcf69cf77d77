/**
 * Refusals for a client whose document a thread could not read within its limits of time, memory or waiting requests.
 */
import { type Refusal, refuse } from '@tidemark/bus/refusal'
import type { Why } from '../concurrency/thread.ts'

/** 503: the client may retry. */
export const busy = (): Refusal => refuse('unavailable', { retryAfterSeconds: 2 })

/** 422: documents of this kind are not supported. */
export const unsupported = (message: string): Refusal =>
  refuse('unsupported_input', { field: 'data', message })

export const ofDocuments: Record<Why, () => Refusal> = {
  time: () => unsupported('Reading the document exceeded the time limit. Send a smaller document.'),
  memory: () => unsupported('Reading the document exceeded the memory limit. Send a smaller document.'),
  patience: busy,
  closed: busy,
}
