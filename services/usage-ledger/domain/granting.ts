/**
 * How much of what a request asks for fits under the caps of its project. What others hold counts in full for
 * today and for this month, whenever they got it: it is billed when they are done, which is today at the earliest.
 */

import { secondsToMidnight } from '@tidemark/contracts/calendar'
import type { ReserveUnits, ReserveUnitsAnswer } from '@tidemark/contracts/rpc/usage'

/** Units of one kind of one project. */
export type Standing = {
  /** Billed today, and in this month with today. */
  today: number
  month: number
  /** Reserved by requests under way. */
  held: number
}

type Asked = Pick<ReserveUnits, 'kind' | 'units' | 'limits'>
export type Reason = ReserveUnitsAnswer['reason']
export type Grant = { granted: number; reason: Reason }

/** All that fits, from nothing to all. Of two caps the tighter one is the reason, of equal ones that which lasts. */
export function grantOf({ kind, units, limits }: Asked, { today, month, held }: Standing): Grant {
  const ofDay = room(limits.perDay, today + held)
  const ofMonth = room(limits.perMonth, month + held)
  const granted = Math.min(units, ofDay, ofMonth)
  if (granted === units) return { granted, reason: null }
  if (kind === 'cloud_page') return { granted, reason: 'cloud_pages' }
  return { granted, reason: ofMonth <= ofDay ? 'monthly_pages' : 'daily_pages' }
}

/**
 * How much more of it would fit if nobody else held anything: that may be given back soon, what is spent is gone.
 * @param own what the same request holds
 */
export function heldByOthers(asked: Asked, standing: Standing, own: number): number {
  return grantOf(asked, { ...standing, held: own }).granted - grantOf(asked, standing).granted
}

/** Seconds until the cap that was the reason starts again; null where there was none. */
export function secondsUntil(reason: Reason, now: number): number | null {
  if (reason === null) return null
  return reason === 'monthly_pages' ? secondsToMonthEnd(now) : secondsToMidnight(now)
}

const room = (cap: number | null, used: number): number =>
  cap === null ? Number.POSITIVE_INFINITY : Math.max(0, cap - used)

/** Never 0, so that whoever waits so long is in the next month. */
function secondsToMonthEnd(at: number): number {
  const now = new Date(at)
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  return Math.ceil((next - at) / 1000)
}
