/** Computes the caps of a synchronous request, its billed units and its commit for the stream SERVED. */

import type { ModelUse } from '@tidemark/contracts/http/extraction'
import { freeResultsPerCap, limitsOf, type PageLimits, type Terms } from '@tidemark/contracts/limits'
import { spentOn } from '@tidemark/contracts/plain-text'
import { type Ending, type Operation, prices, unitsOf } from '@tidemark/contracts/prices'
import type { ReserveUnits, ReserveUnitsResponse } from '@tidemark/contracts/rpc/usage'
import {
  type ModelCalled,
  type RequestServed,
  type ServedCommit,
  type ServedUnits,
  type ServedWaived,
  servedLimits,
} from '@tidemark/contracts/served'
import type { UnitKind } from '@tidemark/contracts/usage'
import { ApiProblem } from '../../http/domain/problem.ts'

export type Payer = Terms & { projectId: number }

/**
 * One attempt of a request and its outcome, or `n` attempts with the same outcome. `as` is the operation whose price it
 * has, by default that of the request.
 */
export type Tried = { what: string; ending: Ending; n?: number; as?: Operation }

export type Served = {
  requestId: string
  /** Number of the part of a request that is billed in parts, from 1. Each part has a reservation and a commit. */
  part?: number
  operation: Operation
  tried: readonly Tried[]
  costUsd?: number
  /** The use of a language model, and the page that it received. */
  model?: ModelUse & { what: string }
  /** Whether the request was refused before any attempt, so that its failures do not count towards their limit. */
  isUncounted?: boolean
}

/**
 * Returns the use of a language model by an extraction, for the bill.
 * @param what the page that the model received
 */
export const modelUsed = (
  extraction: { model?: ModelUse } | undefined,
  what: string,
): Pick<Served, 'model'> => (extraction?.model ? { model: { ...extraction.model, what } } : {})

/** Returns the billed units of a request, by kind. */
export function unitsSpent({ operation, tried }: Served): Record<UnitKind, number> {
  const spent = { page: 0, cloud_page: 0 }
  for (const { as = operation, ending, n = 1 } of tried) spent[prices[as].kind] += n * unitsOf(as, ending)
  return spent
}

/** Returns the caps of the payer for this kind of unit. */
export function limitsFor(payer: Payer, kind: UnitKind): ReserveUnits['limits'] {
  const { pagesPerDay, pagesPerMonth, cloudPagesPerDay } = limitsOf(payer)
  return kind === 'page'
    ? { perDay: pagesPerDay, perMonth: pagesPerMonth }
    : { perDay: cloudPagesPerDay, perMonth: null }
}

/** `Retry-After` if only reserved units are missing, in seconds. Most requests end within this time. */
const heldSeconds = 5

/**
 * Returns the error 429 for a request that was granted too few units. `Retry-After` is the end of the cap's period, or a few
 * seconds if other requests have reserved the missing units and may release them.
 */
export function refusalOf(
  payer: Payer,
  { reason, retryAfterSeconds, held = 0 }: Omit<ReserveUnitsResponse, 'granted'>,
): ApiProblem {
  if (reason === 'free_results') return freeResultsRefusal(retryAfterSeconds)
  const { name, cap } = caps[reason ?? 'daily_pages']
  const { [cap]: limit } = limitsOf(payer)
  const holder = limit === limitsOf({ ...payer, keyCaps: {} })[cap] ? 'project' : 'key'
  const rest =
    held > 0
      ? 'has no pages left beyond those that requests and crawls in progress have reserved'
      : 'is used up'
  return new ApiProblem('too_many_requests', {
    reason: reason ?? undefined,
    retryAfterSeconds: (held > 0 ? heldSeconds : retryAfterSeconds) ?? undefined,
    message: `The ${name} of this ${holder} (${limit}) ${rest}. Try again after the seconds in Retry-After.`,
  })
}

/** Returns whether an error of `refusalOf` may end before the period of its cap, because units are only reserved. */
export const isForReservations = ({ retryAfterSeconds }: Pick<ApiProblem, 'retryAfterSeconds'>): boolean =>
  retryAfterSeconds === heldSeconds

/** Returns the commit of a served request. It is limited in size, so that it fits into a message. */
export const commitOf = (
  { projectId }: Pick<Payer, 'projectId'>,
  { requestId, part = 1, operation, tried, costUsd = 0, model, isUncounted = false }: Served,
  at: string,
  trace: string | undefined,
): Omit<ServedCommit, 'events'> & { events: [RequestServed, ...ModelCalled[]] } => ({
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
        ...unitsAndWaived(operation, tried),
        ...(isUncounted && { uncounted: true }),
      },
    },
    ...(model === undefined
      ? []
      : [calledEvent({ projectId, requestId, ...(part > 1 && { part }), operation }, model)]),
  ],
})

type Named = Pick<ModelCalled['data'], 'projectId' | 'requestId' | 'part' | 'operation'>

const calledEvent = (named: Named, model: NonNullable<Served['model']>): ModelCalled => ({
  type: 'ModelCalled',
  data: {
    ...named,
    model: model.name,
    inputTokens: model.input_tokens,
    outputTokens: model.output_tokens,
    what: spentOn(model.what, servedLimits.whatBytes),
  },
})

/** Returns the error for a project whose failures and challenges of a day have reached their limit. */
const freeResultsRefusal = (retryAfterSeconds: number | null) =>
  new ApiProblem('too_many_requests', {
    reason: 'free_results',
    retryAfterSeconds: retryAfterSeconds ?? undefined,
    message: `This project has had too many results today that cost nothing (failures and challenges): ${freeResultsPerCap} times its daily cap. Try again after the seconds in Retry-After.`,
  })

type Reason = Exclude<ReserveUnitsResponse['reason'], null | 'free_results'>

const caps: Record<Reason, { name: string; cap: keyof PageLimits }> = {
  daily_pages: { name: 'daily page cap', cap: 'pagesPerDay' },
  monthly_pages: { name: 'monthly page cap', cap: 'pagesPerMonth' },
  cloud_pages: { name: 'daily cap of cloud pages', cap: 'cloudPagesPerDay' },
}

function unitsAndWaived(operation: Operation, tried: readonly Tried[]) {
  const costs = ({ as = operation, ending }: Tried) => unitsOf(as, ending) > 0
  const waived = tried.flatMap(one => (costs(one) ? [] : waivedOf(operation, one)))
  const listed = withinLimit(waived)
  const unlisted = countsOf(waived, listed)
  return {
    units: fitting(operation, tried.filter(costs)),
    ...(waived.length > 0 && { waived: listed }),
    ...(Object.keys(unlisted).length > 0 && { unlisted }),
  }
}

/** Returns the number of free attempts that are not listed, by kind, without zeros. */
function countsOf(
  waived: readonly ServedWaived[],
  listed: readonly ServedWaived[],
): Partial<Record<UnitKind, number>> {
  const number = (all: readonly ServedWaived[], kind: UnitKind) => all.filter(one => one.kind === kind).length
  const missing = kinds.map(kind => [kind, number(waived, kind) - number(listed, kind)] as const)
  return Object.fromEntries(missing.filter(([, n]) => n > 0))
}

/** Returns the row of a free failure. A free success, such as a map, has no row. */
const waivedOf = (operation: Operation, { as = operation, what, ending }: Tried): ServedWaived[] =>
  ending === 'blocked' || ending === 'failed'
    ? [{ kind: prices[as].kind, what: spentOn(what, servedLimits.failedBytes), reason: ending }]
    : []

function withinLimit(waived: readonly ServedWaived[]): ServedWaived[] {
  let left: number = servedLimits.waivedBytes
  return waived.filter(({ what }) => {
    left -= Buffer.byteLength(what)
    return left >= 0
  })
}

/**
 * Returns one entry per attempt. Attempts beyond the limit of a commit are summed up in one entry per kind, under the URL
 * of the first of them.
 */
function fitting(operation: Operation, tried: readonly Tried[]): ServedUnits[] {
  const all = tried.map(({ as = operation, what, ending, n = 1 }): ServedUnits => {
    const maxBytes = ending === 'failed' ? servedLimits.failedBytes : servedLimits.whatBytes
    const reason = ending === 'billed' ? {} : { reason: ending }
    return { kind: prices[as].kind, n: n * unitsOf(as, ending), what: spentOn(what, maxBytes), ...reason }
  })
  if (all.length <= servedLimits.entries) return all
  const max = servedLimits.entries - kinds.length
  const rest = all.slice(max)
  return [...all.slice(0, max), ...kinds.flatMap(kind => counted(rest.filter(one => one.kind === kind)))]
}

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

function counted(units: readonly ServedUnits[]): ServedUnits[] {
  const [first] = units
  return first ? [{ ...first, n: units.reduce((sum, { n }) => sum + n, 0) }] : []
}
