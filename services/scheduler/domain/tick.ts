/** A tick: a due minute of a monitor, or the time of a requested run, and its outcome. */
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import { nextDue } from './due.ts'
import type { Monitor } from './monitor.ts'

export type Tick = {
  monitorId: number
  /** The due minute, or the time of the request, which is never a whole minute. In ms since 1970. */
  minute: number
  /** Time of the first attempt, in ms since 1970. */
  begunAt: number
  /** Number of attempts including the current one, from 1. */
  attempts: number
  isSettled: boolean
}

export type Outcome =
  | { type: 'fired'; runId: number; previousRunId: number | null }
  | { type: 'skipped'; reason: string }
  /** An earlier attempt has settled the tick. */
  | { type: 'known' }

/**
 * Returns the monitor after this tick and the event of a new outcome. Due minutes that were missed are skipped. The
 * exception is a tick that is skipped as too late: the first missed minute after it is then due at once, in place of
 * all missed ones, because it certainly has no run yet.
 */
export function settled(
  monitor: Monitor,
  { minute }: Tick,
  outcome: Outcome,
  now: number,
): { monitor: Monitor; event: MonitorEvent | null } {
  const isTooLate = outcome.type === 'skipped' && outcome.reason === tooLate
  const after = { ...monitor, next: nextDue(monitor, isTooLate ? minute : now, minute) }
  const at = new Date(minute).toISOString()
  switch (outcome.type) {
    case 'fired': {
      const { runId, previousRunId } = outcome
      const data = { minute: at, runId, previousRunId }
      return {
        monitor: { ...after, lastFiredAt: now, lastRunId: runId },
        event: { type: 'MonitorFired', data },
      }
    }
    case 'skipped':
      return {
        monitor: after,
        event: { type: 'MonitorSkipped', data: { minute: at, reason: outcome.reason } },
      }
    case 'known':
      return { monitor: after, event: null }
  }
}

/** Returns the monitor after a requested run, which becomes its last run. Its due minutes stay as they are. */
export function ranOnRequest(
  monitor: Monitor,
  { minute }: Tick,
  { runId, previousRunId }: { runId: number; previousRunId: number | null },
  now: number,
): { monitor: Monitor; event: MonitorEvent } {
  const data = { at: new Date(minute).toISOString(), runId, previousRunId }
  return {
    monitor: { ...monitor, lastFiredAt: now, lastRunId: runId },
    event: { type: 'MonitorRunAsked', data },
  }
}

const firstPauseMs = 1_000
const maxPauseMs = 15_000

/** Returns the pause after a failed attempt, in ms. */
export const pauseAfter = (attempts: number): number =>
  Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs)

/** The reason of a tick that is skipped because the previous run has not ended. It is not a failure. */
export const previousRunActive = 'previous_run_active'

/** The reason of a tick that is skipped because it is unknown whether it has a run. */
export const tooLate = 'too_late'

/**
 * Above this age in ms it is unknown whether the tick has a run, because the coordinator deletes the idempotency keys
 * of runs after a day.
 */
const certainMs = 23 * 3_600_000

export const isUncertain = ({ begunAt }: Tick, now: number): boolean => now - begunAt > certainMs
