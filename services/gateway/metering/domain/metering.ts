/** The limits of a synchronous request, and its used units; pure, as the adapter beside it sends them. */

import { limitsOf, type PageLimits, type Terms } from '@tidemark/contracts/limits'
import { spentOn } from '@tidemark/contracts/plain-text'
import { type Ending, type Operation, prices, unitsOf } from '@tidemark/contracts/prices'
import type { ReserveUnits, ReserveUnitsAnswer } from '@tidemark/contracts/rpc/usage'
import {
  type ServedCommit,
  type ServedUnits,
  type ServedWaived,
  servedLimits,
} from '@tidemark/contracts/served'
import type { UnitKind } from '@tidemark/contracts/usage'
import { ApiProblem } from '../../http/domain/problem.ts'

/** The payer. */
export type Payer = Terms & { projectId: number }

/**
 * The attempts of a request and their results: one each, unless it has a number. The price table has the price of the
 * request's operation, or of the operation that it names.
 */
export type Tried = { what: string; ending: Ending; n?: number; as?: Operation }

export type Served = {
  requestId: string
  /** Of one that is billed part by part, from 1: each is reserved and served under a name of its own. */
  part?: number
  operation: Operation
  tried: readonly Tried[]
  costUsd?: number
}

/** Its price, by kind. */
export function unitsSpent({ operation, tried }: Served): Record<UnitKind, number> {
  const spent = { page: 0, cloud_page: 0 }
  for (const { as = operation, ending, n = 1 } of tried) spent[prices[as].kind] += n * unitsOf(as, ending)
  return spent
}

/** The caps of this kind of units. */
export function limitsFor(payer: Payer, kind: UnitKind): ReserveUnits['limits'] {
  const { pagesPerDay, pagesPerMonth, cloudPagesPerDay } = limitsOf(payer)
  return kind === 'page'
    ? { perDay: pagesPerDay, perMonth: pagesPerMonth }
    : { perDay: cloudPagesPerDay, perMonth: null }
}

/** For units that others have reserved: most requests end by then. */
const heldSeconds = 5

/**
 * The refusal of a request that was granted too little: 429, with the seconds to the end of the cap; or with a few
 * seconds if the missing units are only reserved by others, which may not need them.
 */
export function refusalOf(
  payer: Payer,
  { reason, retryAfterSeconds, held = 0 }: Omit<ReserveUnitsAnswer, 'granted'>,
): ApiProblem {
  const { says, cap } = caps[reason ?? 'daily_pages']
  const rest =
    held > 0
      ? 'has no pages left beyond those that requests and crawls in progress have reserved'
      : 'is used up'
  return new ApiProblem('too_many_requests', {
    reason: reason ?? undefined,
    retryAfterSeconds: (held > 0 ? heldSeconds : retryAfterSeconds) ?? undefined,
    message: `The ${says} of this project (${limitsOf(payer)[cap]}) ${rest}. Try again after the seconds in Retry-After.`,
  })
}

/** The commit that is billed, so small that any request fits a message. */
export const commitOf = (
  { projectId }: Payer,
  { requestId, part = 1, operation, tried, costUsd = 0 }: Served,
  at: string,
  trace: string | undefined,
): ServedCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events: [
    {
      type: 'RequestServed',
      data: {
        projectId,
        requestId,
        ...(part > 1 && { part }),
        operation,
        costUsd,
        ...toldBy(operation, tried),
      },
    },
  ],
})

type Reason = NonNullable<ReserveUnitsAnswer['reason']>

const caps: Record<Reason, { says: string; cap: keyof PageLimits }> = {
  daily_pages: { says: 'daily page cap', cap: 'pagesPerDay' },
  monthly_pages: { says: 'monthly page cap', cap: 'pagesPerMonth' },
  cloud_pages: { says: 'daily cap of cloud pages', cap: 'cloudPagesPerDay' },
}

function toldBy(operation: Operation, tried: readonly Tried[]) {
  const costs = ({ as = operation, ending }: Tried) => unitsOf(as, ending) > 0
  const waived = tried.flatMap(one => (costs(one) ? [] : waivedOf(operation, one)))
  return {
    units: fitting(operation, tried.filter(costs)),
    ...(waived.length > 0 && { waived: thatFit(waived) }),
  }
}

/** A free success needs no explanation: maps are free. */
const waivedOf = (operation: Operation, { as = operation, what, ending }: Tried): ServedWaived[] =>
  ending === 'blocked' || ending === 'failed'
    ? [{ kind: prices[as].kind, what: spentOn(what, servedLimits.failedBytes), reason: ending }]
    : []

function thatFit(waived: readonly ServedWaived[]): ServedWaived[] {
  let left: number = servedLimits.waivedBytes
  return waived.filter(({ what }) => {
    left -= Buffer.byteLength(what)
    return left >= 0
  })
}

/** Entry by entry; the entries beyond the limits of a commit are counted by kind under the first URL of the rest. */
function fitting(operation: Operation, tried: readonly Tried[]): ServedUnits[] {
  const all = tried.map(({ as = operation, what, ending, n = 1 }): ServedUnits => {
    const maxBytes = ending === 'failed' ? servedLimits.failedBytes : servedLimits.whatBytes
    const reason = ending === 'billed' ? {} : { reason: ending }
    return { kind: prices[as].kind, n, what: spentOn(what, maxBytes), ...reason }
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
