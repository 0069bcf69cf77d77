/** The reasons for the end of a run, and their meaning. */
import { type Static, Type } from 'typebox'

/** Reason why a run ended: no URLs left, a limit, a request of the client, or a seed that could not be fetched. */
export const StopReason = Type.Union([
  Type.Literal('exhausted'),
  Type.Literal('max_pages'),
  Type.Literal('depth'),
  Type.Literal('max_cost_usd'),
  Type.Literal('max_bytes'),
  Type.Literal('quota'),
  Type.Literal('time_limit'),
  Type.Literal('pattern_time'),
  Type.Literal('cancelled'),
  Type.Literal('failed'),
])
export type StopReason = Static<typeof StopReason>

/** The limits that defer URLs. They choose the pages of a run, so a run that ends at one of them is complete. */
export const DeferringLimit = Type.Union([Type.Literal('max_pages'), Type.Literal('depth')])
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
