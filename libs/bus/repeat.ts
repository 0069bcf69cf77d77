/**
 * Repeats work of a service, such as sweeps, checks and renewals. The heartbeats and probes of the service report work
 * that keeps failing or does not end.
 */
import { type Cause, named } from '@tidemark/contracts/health'
import { causeOf, messageOf } from './cause.ts'
import type { Bus } from './connection.ts'
import { reportFailing, reportWorking } from './troubles.ts'
import { WakeUp } from './wake-up.ts'

export type PeriodicTask = {
  /** The name in reports, such as "the sweep of deleted runs". */
  name: string
  /** The connection whose heartbeats report it. */
  bus: Pick<Bus, 'nc'>
  /** Whether the service can do without this work. Its failures are then warnings. */
  isSpare?: boolean
  /** Milliseconds of uninterrupted failures after which they are reported; a minute by default. */
  faultyMs?: number
  /** The cause that is reported if no other is known. */
  cause?: Cause
  /** Milliseconds between two rounds. */
  pauseMs: number | (() => number)
  /** Ends pauses early. */
  wakeUp?: WakeUp
  /** Milliseconds after a round that failed; `pauseMs` by default. */
  afterFailureMs?: number
  /** Whether the first round comes after a pause. */
  pausesFirst?: boolean
  signal: AbortSignal
  report: (error: unknown) => void
}

/**
 * Minimum milliseconds between two calls of `report` for consecutive failures. The first failure is always reported.
 */
const reportEveryMs = 60_000
const defaultFaultyMs = 60_000
/** Milliseconds after which a round is reported as stuck. */
const stuckMs = 600_000

/**
 * Repeats the work until the signal aborts. Resolves when the last round has ended. A round that returns `'more'` is
 * followed by the next one at once. An error of a round does not end the repetition; it is reported unless the signal
 * has aborted.
 */
export async function repeat(work: () => Promise<unknown>, task: PeriodicTask): Promise<void> {
  const { pauseMs, afterFailureMs, pausesFirst = false, signal, report } = task
  const { wakeUp = new WakeUp() } = task
  const progress = progressOf(task)
  const pause = () => (typeof pauseMs === 'number' ? pauseMs : pauseMs())
  let reportedAt = Number.NEGATIVE_INFINITY
  let restMs = pausesFirst ? pause() : 0
  for (;;) {
    if (restMs > 0) await wakeUp.pause(restMs, signal)
    if (signal.aborted) return progress.ended()
    progress.begun()
    try {
      const left = await work()
      restMs = left === 'more' ? 0 : pause()
      reportedAt = Number.NEGATIVE_INFINITY
      progress.succeeded()
    } catch (error) {
      const now = performance.now()
      if (!signal.aborted && now - reportedAt >= reportEveryMs) {
        report(error)
        reportedAt = now
      }
      progress.failed(error)
      restMs = afterFailureMs ?? pause()
    }
  }
}

/** Returns functions that report the state of the rounds. A failing round and a stuck one are separate reports. */
function progressOf({ name, bus: { nc }, isSpare = false, faultyMs = defaultFaultyMs, cause }: PeriodicTask) {
  const weight = isSpare ? 'warning' : 'fault'
  const [failing, stuck] = [`loop ${name}`, `round ${name}`]
  const stuckText = named('loop_stuck', `${name} has not finished for ${stuckMs / 60_000} minutes`)
  return {
    begun: () => reportFailing(nc, stuck, stuckText, stuckMs, { weight: 'warning' }),
    succeeded() {
      reportWorking(nc, stuck)
      reportWorking(nc, failing)
    },
    failed(error: unknown) {
      reportWorking(nc, stuck)
      const text = `${name} fails every time: ${messageOf(error)}`
      reportFailing(nc, failing, named(causeOf(error, cause ?? 'loop_failing'), text), faultyMs, { weight })
    },
    ended() {
      reportWorking(nc, stuck)
      reportWorking(nc, failing)
    },
  }
}
