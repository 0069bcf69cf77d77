/** A due minute of a monitor, or a moment at which somebody asked it for a run, and what became of it. */
import type { MonitorEvent } from '@tidemark/contracts/monitor'
import { nextDue } from './due.ts'
import type { Monitor } from './monitor.ts'

export type Tick = {
  monitorId: number
  /** The due minute, or when it was asked for, which is never a whole minute; in ms since 1970. */
  minute: number
  /** When it was first acted upon. */
  begunAt: number
  /** 1 for the first. */
  attempts: number
  isSettled: boolean
}

export type Outcome =
  | { type: 'fired'; runId: number }
  | { type: 'skipped'; reason: string }
  /** Another attempt has settled it. */
  | { type: 'known' }

/** The monitor after this tick, and the event that tells of it, where it is new. Minutes that passed since are one. */
export function settled(
  monitor: Monitor,
  { minute }: Tick,
  outcome: Outcome,
  now: number,
): { monitor: Monitor; event: MonitorEvent | null } {
  const after = { ...monitor, next: nextDue(monitor.id, monitor.schedule, now, minute) }
  const at = new Date(minute).toISOString()
  switch (outcome.type) {
    case 'fired': {
      const { runId } = outcome
      const data = { minute: at, runId, previousRunId: monitor.lastRunId }
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

/** The monitor after a run that somebody asked for: it goes on from there, and its due minutes stay as they are. */
export function ranWhenAsked(
  monitor: Monitor,
  { minute }: Tick,
  runId: number,
  now: number,
): { monitor: Monitor; event: MonitorEvent } {
  const data = { at: new Date(minute).toISOString(), runId, previousRunId: monitor.lastRunId }
  return {
    monitor: { ...monitor, lastFiredAt: now, lastRunId: runId },
    event: { type: 'MonitorRunAsked', data },
  }
}

const firstPauseMs = 1_000
const maxPauseMs = 15_000

/** How long to wait before an attempt that failed is repeated, in ms. */
export const pauseAfter = (attempts: number): number =>
  Math.min(firstPauseMs * 2 ** (attempts - 1), maxPauseMs)

/** Why a tick is skipped while the run before goes on, which is no failure. */
export const previousRunActive = 'previous_run_active'

/** Beyond this age nobody can say whether the tick has a run: the coordinator forgets keys after a day. */
const certainMs = 23 * 3_600_000

export const isUncertain = ({ begunAt }: Tick, now: number): boolean => now - begunAt > certainMs
