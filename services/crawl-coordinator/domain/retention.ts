/** For how long ended runs are kept, by the tier that their project has now. */
import type { Tier } from '@tidemark/contracts/primitives'

/** Days; null for ever. */
export type Retention = Record<Tier, number | null>

const dayMs = 86_400_000

/** The moment before which a run must have ended to be due under some tier; null where all are kept. */
export function earliestDue(retention: Retention, now: number): Date | null {
  const days = Object.values(retention).filter(days => days !== null)
  return days.length === 0 ? null : new Date(now - Math.min(...days) * dayMs)
}

/** Whether a run that ended then has been kept for as long as this tier says. */
export function isOver(retention: Retention, tier: Tier, endedAt: Date, now: number): boolean {
  const days = retention[tier]
  return days !== null && endedAt.getTime() < now - days * dayMs
}
