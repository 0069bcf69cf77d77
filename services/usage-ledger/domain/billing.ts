/**
 * What commits cost, on the UTC day of the commit: a run's pages each as the price table says, a request's units as it
 * told them. What was tried and cost nothing stands beside them, so that the bill says why.
 */
import { dayOf } from '@tidemark/contracts/calendar'
import { spentOn, textOf } from '@tidemark/contracts/plain-text'
import { prices, unitsOf } from '@tidemark/contracts/prices'
import type { UrlKey } from '@tidemark/contracts/primitives'
import { type RequestServed, servedLimits } from '@tidemark/contracts/served'
import type { ServedUnitsSpent, UnitKind, UsageCommit, UsageEvent } from '@tidemark/contracts/usage'

/** What a commit of a run says, as far as it concerns money. */
export type RunFacts = {
  runId: number
  at: string
  trace: string | undefined
  /** Whose run it is: said by its first commit only. */
  projectId: number | null
  settled: readonly SettledPage[]
  /** All that was and will be billed of the run, said by the commit that ends it. */
  billable: number | null
}

type SettledPage = { key: UrlKey; id: number; blocked?: true; attempt?: number }

export type RequestFacts = { at: string; trace: string | undefined; served: RequestServed['data'] }

/** How many of so many things that cost nothing are listed (`waivers.ts`). */
export type MayList = (projectId: number, day: string, wanted: number) => number

/** Units in one message of USAGE: with 2 KB each they are far below what a message holds. */
const unitsOfMessage = 1_000

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

/** The bill for the pages that were settled; null where there is nothing to say. */
export function billFor(
  { runId, at, trace, settled }: RunFacts,
  projectId: number,
  mayList: MayList,
): UsageCommit | null {
  const day = dayOf(Date.parse(at))
  const spent = settled.filter(page => costOf(page) > 0)
  const waived = settled.filter(page => costOf(page) === 0)
  const listed = waived.slice(0, waived.length && mayList(projectId, day, waived.length))
  const common = { projectId, runId, kind: prices.crawl.kind, day }
  const events: UsageEvent[] = []
  if (spent.length > 0) {
    const units = spent.map(page => ({ token: tokenOf(runId, page), ...placeOf(page) }))
    events.push({ type: 'UnitsSpent', data: { ...common, units } })
  }
  if (listed.length > 0) {
    const units = listed.map(page => ({ token: `waived:${tokenOf(runId, page)}`, ...placeOf(page) }))
    events.push({ type: 'UnitsWaived', data: { ...common, reason: 'blocked', units } })
  }
  return events.length === 0 ? null : commit({ at, trace }, events)
}

/** The bills for a request, to be stored in this order; none where there is nothing to say. The same commit gives the same bills. */
export function billsFor({ at, trace, served }: RequestFacts, mayList: MayList): UsageCommit[] {
  const spent = spentUnits(served)
  const bills: UsageEvent[][] = []
  for (let first = 0; first < spent.length; first += unitsOfMessage) {
    const here = spent.slice(first, first + unitsOfMessage)
    const more = first + unitsOfMessage < spent.length
    bills.push(kinds.flatMap(kind => factOf(served, { at, kind, more }, here)))
  }
  const waived = kinds.flatMap(kind => waivedOf(served, { at, kind }, mayList))
  // With the last of them, which ends the reservation.
  if (waived.length > 0) bills.push([...(bills.pop() ?? []), ...waived])
  return bills.map(events => commit({ at, trace }, events))
}

type Unit = ServedUnitsSpent['data']['units'][number]
type Spent = { kind: UnitKind; unit: Unit }

/** One for each unit, in the order in which the request told them; the first one has its cost. */
function spentUnits({ requestId, units, costUsd }: RequestServed['data']): Spent[] {
  const each = units.flatMap(({ kind, n, what, reason }) => {
    const plain = { what: spentOn(what, servedLimits.whatBytes), ...(reason !== undefined && { reason }) }
    return Array.from({ length: n }, () => ({ kind, plain }))
  })
  return each.map(({ kind, plain }, number) => ({
    kind,
    unit: {
      token: textOf(`served:${requestId}:${number}`),
      ...plain,
      ...(number === 0 && costUsd > 0 && { costUsd }),
    },
  }))
}

type Part = { at: string; kind: UnitKind }

function factOf(
  served: RequestServed['data'],
  { at, kind, more }: Part & { more: boolean },
  spent: readonly Spent[],
): UsageEvent[] {
  const units = spent.filter(one => one.kind === kind).map(({ unit }) => unit)
  if (units.length === 0) return []
  const data = { ...namesOf(served), kind, day: dayOf(Date.parse(at)), units, ...(more && { more }) }
  return [{ type: 'ServedUnitsSpent', data }]
}

function waivedOf(served: RequestServed['data'], { at, kind }: Part, mayList: MayList): UsageEvent[] {
  const day = dayOf(Date.parse(at))
  const all = (served.waived ?? []).map(({ reason, what, ...one }, number) => ({
    kind: one.kind,
    unit: {
      token: textOf(`waived:${served.requestId}:${number}`),
      what: spentOn(what, servedLimits.failedBytes),
      reason,
    },
  }))
  const units = all.filter(one => one.kind === kind).map(({ unit }) => unit)
  const listed = units.slice(0, units.length && mayList(served.projectId, day, units.length))
  if (listed.length === 0) return []
  return [{ type: 'ServedUnitsWaived', data: { ...namesOf(served), kind, day, units: listed } }]
}

const namesOf = ({ projectId, requestId, operation }: RequestServed['data']) => ({
  projectId,
  requestId: textOf(requestId),
  operation: textOf(operation),
})

const commit = ({ at, trace }: Pick<RunFacts, 'at' | 'trace'>, events: UsageEvent[]): UsageCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events,
})

const costOf = ({ blocked }: SettledPage): number => unitsOf('crawl', blocked ? 'blocked' : 'billed')

const placeOf = ({ id, attempt }: SettledPage) => ({ pageId: id, ...(attempt !== undefined && { attempt }) })

/** A page of a run is billed once: whoever bills it again comes to the same token. */
const tokenOf = (runId: number, { key }: SettledPage) => `${runId}:${key}`
