/** Interprets the end of a run. */
import type { Totals } from './run.ts'

/** Returns whether a limit ended a finished run before its first page, so that it does not describe its site. */
export const isCutEmpty = ({ stopReason, totals }: { stopReason: string; totals: Pick<Totals, 'fetched'> }) =>
  totals.fetched === 0 && cutsShort(stopReason)

/** Returns whether a run with this stop reason ended before it had read its whole site. */
export const cutsShort = (stopReason: string): boolean => cutting.has(stopReason)

const cutting: ReadonlySet<string> = new Set([
  'max_cost_usd',
  'max_bytes',
  'quota',
  'time_limit',
  'pattern_time',
])
