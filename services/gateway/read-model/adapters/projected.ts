/** Receives the position of the read model, for callers that wait to read their own writes. */
import type { Projected } from '@tidemark/contracts/notifications'
import { Reached } from '../domain/reached.ts'

export type ReadModelClock = {
  note(projected: Projected): void
  /** Resolves when the read model has this sequence of the stream, or when the time is over. */
  waitFor(stream: string, sequence: number, timeoutMs: number): Promise<void>
}

export function readModelClock(): ReadModelClock {
  const reached = new Reached()
  return {
    note: ({ stream, sequence }) => reached.note(stream, sequence),
    waitFor: (stream, sequence, timeoutMs) => waitFor(reached, stream, sequence, timeoutMs),
  }
}

function waitFor(reached: Reached, stream: string, sequence: number, timeoutMs: number): Promise<void> {
  if (reached.has(stream, sequence)) return Promise.resolve()
  return new Promise(resolve => {
    const stop = reached.when(stream, sequence, done)
    const timer = setTimeout(done, timeoutMs)
    function done(): void {
      clearTimeout(timer)
      stop()
      resolve()
    }
  })
}
