/** Decides how long ended runs are kept, by the current tier of their project. */
import type { Tier } from '@tidemark/contracts/primitives'

/** Days by tier; null: runs are kept forever. */
export type Retention = Record<Tier, number | null>

const dayMs = 86_400_000

/** Returns the time before which a run must have ended to be due under any tier; null if all are kept. */
export function earliestDue(retention: Retention, now: number): Date | null {
  const days = Object.values(retention).filter(days => days !== null)
  return days.length === 0 ? null : new Date(now - Math.min(...days) * dayMs)
}

/** Returns whether a run that ended at `endedAt` has exceeded the retention of this tier. */
export function isOver(retention: Retention, tier: Tier, endedAt: Date, now: number): boolean {
  const days = retention[tier]
  return days !== null && endedAt.getTime() < now - days * dayMs
}
