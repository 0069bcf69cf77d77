/** The reasons for the end of a run, and their meaning. */

import type { Static } from 'typebox'
import { oneOf } from './primitives.ts'

/** Reason why a run ended: no URLs left, a limit, a request of the client, or a seed that could not be fetched. */
export const StopReason = oneOf([
  'exhausted',
  'max_pages',
  'depth',
  'max_cost_usd',
  'max_bytes',
  'quota',
  'time_limit',
  'pattern_time',
  'cancelled',
  'failed',
])
export type StopReason = Static<typeof StopReason>

/** The limits that defer URLs. They choose the pages of a run, so a run that ends at one of them is complete. */
export const DeferringLimit = oneOf(['max_pages', 'depth'])
export type DeferringLimit = Static<typeof DeferringLimit>

/** Returns whether a limit ended a finished run before its first page, so that it does not describe its site. */
export const isCutEmpty = ({ stopReason, totals }: { stopReason: string; totals: { fetched: number } }) =>
  totals.fetched === 0 && cutsShort(stopReason)

/** The limits that end a run before it has read its whole site, unlike a `DeferringLimit`. */
export const cuttingReasons: readonly StopReason[] = [
  'max_cost_usd',
  'max_bytes',
  'quota',
  'time_limit',
  'pattern_time',
]

/** Returns whether a run with this stop reason ended before it had read its whole site. */
export const cutsShort = (stopReason: string): boolean =>
  (cuttingReasons as readonly string[]).includes(stopReason)
