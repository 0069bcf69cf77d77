/** What a synchronous request may spend and how it says what it spent; pure, as the adapter beside it sends it. */
import type { ReserveUnits, ReserveUnitsAnswer } from '@tidemark/contracts/ask/usage'
import { spentOn } from '@tidemark/contracts/plain-text'
import type { Tier } from '@tidemark/contracts/primitives'
import { type ServedCommit, type ServedUnits, servedLimits } from '@tidemark/contracts/served'
import type { UnitKind } from '@tidemark/contracts/usage'
import { ApiProblem } from './problem.ts'
import { type PageLimits, pageLimitsOf } from './usage.ts'

/** Who pays. */
export type Payer = { projectId: number; tier: Tier; unlimited: boolean }

/** What a request spent on something: one unit, unless it says how many. Of what failed less is kept. */
export type SpentUnits = { kind: UnitKind; what: string; n?: number; failed?: boolean }

export type Served = { requestId: string; operation: string; units: readonly SpentUnits[]; costUsd?: number }

/** The caps of this kind of units. */
export function limitsFor(payer: Payer, kind: UnitKind): ReserveUnits['limits'] {
  const { pagesPerDay, pagesPerMonth, cloudPagesPerDay } = pageLimitsOf(payer)
  return kind === 'page'
    ? { perDay: pagesPerDay, perMonth: pagesPerMonth }
    : { perDay: cloudPagesPerDay, perMonth: null }
}

/** The refusal of a request that was granted nothing: 429, with the seconds to the end of the cap. */
export function refusalOf(payer: Payer, { reason, retryAfterSeconds }: ReserveUnitsAnswer): ApiProblem {
  const { says, cap } = caps[reason ?? 'daily_pages']
  return new ApiProblem('too_many_requests', {
    reason: reason ?? undefined,
    retryAfterSeconds: retryAfterSeconds ?? undefined,
    message: `The ${says} of this project (${pageLimitsOf(payer)[cap]}) is used up. Try again after the seconds in Retry-After.`,
  })
}

/** The commit that is billed, so small that any request fits a message. */
export const commitOf = (
  { projectId }: Payer,
  { requestId, operation, units, costUsd = 0 }: Served,
  at: string,
  trace: string | undefined,
): ServedCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events: [
    { type: 'RequestServed', data: { projectId, requestId, operation, units: fitting(units), costUsd } },
  ],
})

type Reason = NonNullable<ReserveUnitsAnswer['reason']>

const caps: Record<Reason, { says: string; cap: keyof PageLimits }> = {
  daily_pages: { says: 'daily page cap', cap: 'pagesPerDay' },
  monthly_pages: { says: 'monthly page cap', cap: 'pagesPerMonth' },
  cloud_pages: { says: 'daily cap of cloud pages', cap: 'cloudPagesPerDay' },
}

/** Entry by entry; beyond what a commit takes, the rest is counted by kind under the first URL of the rest. */
function fitting(units: readonly SpentUnits[]): ServedUnits[] {
  const all = units.map(({ kind, what, n = 1, failed = false }) => {
    const mostBytes = failed ? servedLimits.failedBytes : servedLimits.whatBytes
    return { kind, n, what: spentOn(what, mostBytes) }
  })
  if (all.length <= servedLimits.entries) return all
  const most = servedLimits.entries - kinds.length
  const rest = all.slice(most)
  return [...all.slice(0, most), ...kinds.flatMap(kind => counted(rest.filter(one => one.kind === kind)))]
}

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

function counted(units: readonly ServedUnits[]): ServedUnits[] {
  const [first] = units
  return first ? [{ ...first, n: units.reduce((sum, { n }) => sum + n, 0) }] : []
}
