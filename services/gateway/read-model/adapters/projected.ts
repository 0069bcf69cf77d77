/** Receives the position of the read model, for callers that wait to read their own writes. */
import { jsonParser } from '@tidemark/bus/codec'
import type { Bus } from '@tidemark/bus/connection'
import { Projected } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'
import { Reached } from '../domain/reached.ts'

export type ReadModelClock = {
  note(projected: Projected): void
  /** Resolves when the read model has this sequence of the stream, or when the time is over. */
  waitFor(stream: string, sequence: number, timeoutMs: number): Promise<void>
}

const parse = jsonParser(Projected)

/** Calls back after each commit of a projection, until disposed. */
export function listenForProjected(
  bus: Bus,
  projection: string,
  onCommitted: (projected: Projected) => void,
  report: (error: unknown) => void,
): Disposable {
  const subscription = bus.nc.subscribe(notifications.projected(projection), {
    callback: (_error, { data }) => {
      try {
        onCommitted(parse(data))
      } catch (error) {
        report(error)
      }
    },
  })
  return { [Symbol.dispose]: () => subscription.unsubscribe() }
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
