/** Checks whether the object store answers this process. Faults are reported with its heartbeats and probes. */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Objects } from './objects.ts'

const everyMs = 5_000
/** Maximum time that callers wait for its return. */
const soonMs = 500
/** A break of a moment is what a restart looks like. */
const patienceMs = 2_000

type Watched = {
  bus: Pick<Bus, 'nc'>
  objects: Pick<Objects, 'look'>
  /** Whether its service works all the same without it. */
  isSpare: boolean
}

/** Watches until it is disposed of. */
export function watchObjects({ bus, objects, isSpare }: Watched): AsyncDisposable {
  const stop = new AbortController()
  const ended = again(objects.look, {
    ...{ name: 'looking for the store of bodies', bus, isSpare, cause: 'bodies_away', faultyMs: patienceMs },
    ...{ pauseMs: everyMs, afterFailureMs: soonMs, signal: stop.signal, report: () => {} },
  })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await ended
    },
  }
}
