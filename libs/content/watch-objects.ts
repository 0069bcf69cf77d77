/**
 * Watches whether the store of bodies responds to this process, and reports failures with its heartbeats and probes.
 */

import type { Bus } from '@tidemark/bus/connection'
import { repeat } from '@tidemark/bus/repeat'
import type { Objects } from './objects.ts'

const everyMs = 5_000
/** Milliseconds between two checks after a failure, so that a recovery is noticed soon. */
const soonMs = 500
/** Milliseconds of failures before they are reported, because a restart of the store causes short ones. */
const patienceMs = 2_000

type Watched = {
  bus: Pick<Bus, 'nc'>
  objects: Pick<Objects, 'probe'>
  /** Whether the service works without the store. */
  isSpare: boolean
}

/** Watches the store until disposed. */
export function watchObjects({ bus, objects, isSpare }: Watched): AsyncDisposable {
  const stop = new AbortController()
  const ended = repeat(objects.probe, {
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
