/**
 * What a service does again and again for as long as it lives: sweeps, looks, renewals. One that keeps failing, or
 * whose turn does not end, is told by the heartbeats and probes of its service.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cause, named } from '@tidemark/contracts/health'
import { causeOf } from './cause.ts'
import type { Bus } from './connection.ts'
import { fails, works } from './troubles.ts'

export type Repetition = {
  /** By which it is told of, as in "the sweep of deleted runs". */
  name: string
  /** Whose heartbeats tell of it. */
  bus: Pick<Bus, 'nc'>
  /** Whether its service works all the same when this fails: it is then told as a warning. */
  isSpare?: boolean
  /** One that has failed each time for so long is told; a minute by default. */
  faultyMs?: number
  /** Under which name it is told where no other cause is found. */
  cause?: Cause
  /** Between two turns, in milliseconds. */
  pauseMs: number | (() => number)
  /** The same after a turn that failed; without it no other. */
  afterFailureMs?: number
  /** Whether the first turn comes after a pause, and not at once. */
  pausesFirst?: boolean
  signal: AbortSignal
  report: (error: unknown) => void
}

/** Of failures in a row the first is told, and then one in so long. */
const tellEveryMs = 60_000
const defaultFaultyMs = 60_000
/** The longest that a turn may take before somebody should see to it. */
const stuckMs = 600_000

/**
 * Resolves when the signal has aborted and the turn that was under way has ended. A turn that answers `'more'` is
 * followed by the next one at once. What a turn throws ends none of it, and is told unless the signal has aborted.
 */
export async function again(work: () => Promise<unknown>, repetition: Repetition): Promise<void> {
  const { pauseMs, afterFailureMs, pausesFirst = false, signal, report } = repetition
  const telling = tellingOf(repetition)
  const pause = () => (typeof pauseMs === 'number' ? pauseMs : pauseMs())
  let toldAt = Number.NEGATIVE_INFINITY
  let restMs = pausesFirst ? pause() : 0
  for (;;) {
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return telling.ended()
    telling.begun()
    try {
      const left = await work()
      restMs = left === 'more' ? 0 : pause()
      toldAt = Number.NEGATIVE_INFINITY
      telling.succeeded()
    } catch (error) {
      const now = performance.now()
      if (!signal.aborted && now - toldAt >= tellEveryMs) {
        report(error)
        toldAt = now
      }
      telling.failed(error)
      restMs = afterFailureMs ?? pause()
    }
  }
}

/** Two things can be wrong with it, and each is told apart. */
function tellingOf({ name, bus: { nc }, isSpare = false, faultyMs = defaultFaultyMs, cause }: Repetition) {
  const weight = isSpare ? 'warning' : 'fault'
  const [failing, stuck] = [`loop ${name}`, `turn ${name}`]
  const stuckSays = named('loop_stuck', `${name} has not come to an end for ${stuckMs / 60_000} minutes`)
  return {
    begun: () => fails(nc, stuck, stuckSays, stuckMs, { weight: 'warning' }),
    succeeded() {
      works(nc, stuck)
      works(nc, failing)
    },
    failed(error: unknown) {
      works(nc, stuck)
      const says = `${name} fails each time: ${error instanceof Error ? error.message : String(error)}`
      fails(nc, failing, named(causeOf(error, cause ?? 'loop_failing'), says), faultyMs, { weight })
    },
    ended() {
      works(nc, stuck)
      works(nc, failing)
    },
  }
}
