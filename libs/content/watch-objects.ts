/**
 * Watches whether the store of bodies responds to this process, and reports failures with its heartbeats and probes.
 */
import { again } from '@tidemark/bus/again'
import type { Bus } from '@tidemark/bus/connection'
import type { Objects } from './objects.ts'

const everyMs = 5_000
/** Interval after a failure, and the maximum delay until a recovery is noticed. */
const soonMs = 500
/** Shorter failures are ignored, because a restart of the store causes them. */
const patienceMs = 2_000

type Watched = {
  bus: Pick<Bus, 'nc'>
  objects: Pick<Objects, 'look'>
  /** Whether its service works without it. */
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
