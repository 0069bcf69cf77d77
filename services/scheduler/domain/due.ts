/** Computes when a monitor fires: some seconds after its due minute, so that not all monitors start at once. */
import { parseCron } from './cron.ts'
import { nextLocalMinute } from './next-local-minute.ts'

export type Due = { minute: number; firesAt: number }

/** A monitor with its schedule in the local time of a zone. */
export type Timed = { id: number; schedule: string; timezone: string }

const spreadSeconds = 60

/** Returns the time between a due minute and the firing, in ms: whole seconds below a minute, fixed for a monitor. */
export const spreadOf = (monitorId: number): number =>
  ((Math.imul(monitorId, 0x9e3779b1) >>> 0) % spreadSeconds) * 1000

/**
 * Returns the next due minute that has not passed, after the minute `last` of the latest tick. Missed minutes are
 * skipped. Times are in ms since 1970; null when the schedule is never due again.
 */
export function nextDue({ id, schedule, timezone }: Timed, now: number, last = 0): Due | null {
  const spread = spreadOf(id)
  const minute = nextLocalMinute(parseCron(schedule), timezone, Math.max(now - spread, last))
  return minute === null ? null : { minute, firesAt: minute + spread }
}
