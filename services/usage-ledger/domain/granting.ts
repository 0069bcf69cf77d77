/**
 * Computes how many of the requested units fit under the caps of a project. Units that others hold count in full for
 * today and for this month, whenever they were granted, because they are billed today at the earliest.
 */

import { secondsToMidnight } from '@tidemark/contracts/calendar'
import { maxFreeResults } from '@tidemark/contracts/limits'
import type { ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'

/** Units of one kind of one project. */
export type Standing = {
  /** Units billed today, and in this month including today. */
  today: number
  month: number
  /** Units that active requests and runs hold. */
  held: number
  /** Results of today that cost nothing. */
  free: number
}

type Requested = Pick<ReserveUnits, 'kind' | 'units' | 'limits'>
export type Reason = ReserveUnitsResponse['reason']
export type Grant = { granted: number; reason: Reason }

/**
 * Returns as many units as fit. The reason is the tighter cap; if both are equal, the one of the month. After too many
 * free results nothing is granted, and the reason is `free_results` unless a cap already allows nothing.
 */
export function grantOf(requested: Requested, standing: Standing): Grant {
  const grant = withinCaps(requested, standing)
  return grant.granted > 0 && isFreeSpent(requested, standing)
    ? { granted: 0, reason: 'free_results' }
    : grant
}

/** Returns whether the project has exceeded its limit of free results for the day. */
export function isFreeSpent(
  { limits }: Pick<Requested, 'limits'>,
  { free }: Pick<Standing, 'free'>,
): boolean {
  const max = maxFreeResults(limits.perDay)
  return max !== null && free > max
}

function withinCaps({ kind, units, limits }: Requested, { today, month, held }: Standing): Grant {
  const ofDay = remaining(limits.perDay, today + held)
  const ofMonth = remaining(limits.perMonth, month + held)
  const granted = Math.min(units, ofDay, ofMonth)
  if (granted === units) return { granted, reason: null }
  if (kind === 'cloud_page') return { granted, reason: 'cloud_pages' }
  return { granted, reason: ofMonth <= ofDay ? 'monthly_pages' : 'daily_pages' }
}

/**
 * Returns how many more units would fit if no other request held any. Held units may be released soon, spent units
 * never.
 * @param own units that the same request holds
 */
export function heldByOthers(requested: Requested, standing: Standing, own: number): number {
  return grantOf(requested, { ...standing, held: own }).granted - grantOf(requested, standing).granted
}

/** Returns the seconds until the cap of the reason starts again; null without a reason. */
export function secondsUntil(reason: Reason, now: number): number | null {
  if (reason === null) return null
  return reason === 'monthly_pages' ? secondsToMonthEnd(now) : secondsToMidnight(now)
}

const remaining = (cap: number | null, used: number): number =>
  cap === null ? Number.POSITIVE_INFINITY : Math.max(0, cap - used)

/** Returns the seconds to the end of the month, rounded up: after this wait the next month has begun. */
function secondsToMonthEnd(at: number): number {
  const now = new Date(at)
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  return Math.ceil((next - at) / 1000)
}
