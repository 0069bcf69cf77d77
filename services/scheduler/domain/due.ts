/** When a monitor's due minutes are acted upon: each monitor some seconds later, so that not all start at once. */
import { parseCron } from './cron.ts'
import { nextMinute } from './next-minute.ts'

export type Due = { minute: number; firesAt: number }

const spreadSeconds = 60

/** ms after its minute at which this monitor fires: whole seconds below a minute, always the same ones. */
export const spreadOf = (monitorId: number): number =>
  ((Math.imul(monitorId, 0x9e3779b1) >>> 0) % spreadSeconds) * 1000

/**
 * The next minute that is still to come, for a monitor that has fired `last`: those that passed meanwhile are
 * not made up for. Times in ms since 1970; null when there is none.
 */
export function nextDue(monitorId: number, schedule: string, now: number, last = 0): Due | null {
  const spread = spreadOf(monitorId)
  const minute = nextMinute(parseCron(schedule), Math.max(now - spread, last))
  return minute === null ? null : { minute, firesAt: minute + spread }
}
