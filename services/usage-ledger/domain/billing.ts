/**
 * What commits cost, on the UTC day of the commit: a run's pages each as the price table says, a request's units as it
 * told them. What was tried and cost nothing stands beside them, so that the bill says why.
 */
import { dayOf } from '@tidemark/contracts/calendar'
import { spentOn, textOf } from '@tidemark/contracts/plain-text'
import { prices, unitsOf } from '@tidemark/contracts/prices'
import type { UrlKey } from '@tidemark/contracts/primitives'
import { nameOfPart, type RequestServed, servedLimits } from '@tidemark/contracts/served'
import type {
  ServedUnitsSpent,
  ServedUnitsWaived,
  UnitKind,
  UsageCommit,
  UsageEvent,
} from '@tidemark/contracts/usage'

/** What a commit of a run says, as far as it concerns money. */
export type RunFacts = {
  runId: number
  at: string
  trace: string | undefined
  /** Whose run it is: said by its first commit only. */
  projectId: number | null
  settled: readonly SettledPage[]
  /** All that was and will be billed of the run, said by the commit that ends it. */
  billable: Readonly<Record<UnitKind, number>> | null
}

type SettledPage = { key: UrlKey; id: number; blocked?: true; attempt?: number; rendered?: true }

export type RequestFacts = { at: string; trace: string | undefined; served: RequestServed['data'] }

/** Units in one message of USAGE: with 2 KB each they are far below what a message holds. */
const unitsOfMessage = 1_000

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

/** The UTC day that what was stored then is billed on. */
export const billedOn = ({ at }: Pick<RunFacts, 'at'>): string => dayOf(Date.parse(at))

/** How many things that cost nothing these bills list. */
export const listedIn = (bills: readonly UsageCommit[]): number =>
  bills
    .flatMap(({ events }) => events)
    .reduce((sum, { type, data }) => (waivedTypes.has(type) ? sum + data.units.length : sum), 0)

/** What this bill is for, as far as it is billed: a crawl's pages under its own operation. */
export const spentIn = ({ events }: UsageCommit): { kind: UnitKind; operation: string; units: number }[] =>
  events.flatMap(({ type, data }) => {
    const { kind, units } = data
    if (type === 'UnitsSpent') return [{ kind, operation: 'crawl', units: units.length }]
    return type === 'ServedUnitsSpent' ? [{ kind, operation: data.operation, units: units.length }] : []
  })

const waivedTypes: ReadonlySet<string> = new Set(['UnitsWaived', 'ServedUnitsWaived'])

/**
 * The bill for the pages that were settled; null where there is nothing to say. `room` is how many of those that cost
 * nothing are listed. The same commit and room give the same bill.
 */
export function billFor(
  { runId, at, trace, settled }: RunFacts,
  projectId: number,
  room: number,
): UsageCommit | null {
  const day = billedOn({ at })
  const spent = settled.filter(page => costOf(page) > 0)
  const listed = settled.filter(page => costOf(page) === 0).slice(0, room)
  const common = { projectId, runId, day }
  const ofKind = <Event>(
    pages: readonly SettledPage[],
    eventOf: (kind: UnitKind, some: SettledPage[]) => Event,
  ) =>
    kinds.flatMap(kind => {
      const some = pages.filter(page => prices[operationOf(page)].kind === kind)
      return some.length > 0 ? [eventOf(kind, some)] : []
    })
  const events: UsageEvent[] = [
    ...ofKind(spent, (kind, some): UsageEvent => {
      const units = some.map(page => ({ token: tokenOf(runId, page), ...placeOf(page) }))
      return { type: 'UnitsSpent', data: { ...common, kind, units } }
    }),
    ...ofKind(listed, (kind, some): UsageEvent => {
      const units = some.map(page => ({ token: `waived:${tokenOf(runId, page)}`, ...placeOf(page) }))
      return { type: 'UnitsWaived', data: { ...common, kind, reason: 'blocked', units } }
    }),
  ]
  return events.length === 0 ? null : commit({ at, trace }, events)
}

/**
 * The bills for a request, to be stored in this order; none where there is nothing to say. `room` is how many of what
 * cost nothing are listed. The same commit and room give the same bills.
 */
export function billsFor({ at, trace, served }: RequestFacts, room: number): UsageCommit[] {
  const spent = spentUnits(served)
  const bills: UsageEvent[][] = []
  for (let first = 0; first < spent.length; first += unitsOfMessage) {
    const here = spent.slice(first, first + unitsOfMessage)
    const more = first + unitsOfMessage < spent.length
    bills.push(kinds.flatMap(kind => factOf(served, { at, kind, more }, here)))
  }
  const listed = waivedUnits(served).slice(0, room)
  const waived = kinds.flatMap(kind => waivedOf(served, { at, kind }, listed))
  // With the last of them, which ends the reservation.
  if (waived.length > 0) bills.push([...(bills.pop() ?? []), ...waived])
  return bills.map(events => commit({ at, trace }, events))
}

type Unit = ServedUnitsSpent['data']['units'][number]
type Spent = { kind: UnitKind; unit: Unit }

/** One for each unit, in the order in which the request told them; the first one has its cost. */
function spentUnits({ units, costUsd, ...served }: RequestServed['data']): Spent[] {
  const each = units.flatMap(({ kind, n, what, reason }) => {
    const plain = { what: spentOn(what, servedLimits.whatBytes), ...(reason !== undefined && { reason }) }
    return Array.from({ length: n }, () => ({ kind, plain }))
  })
  return each.map(({ kind, plain }, number) => ({
    kind,
    unit: {
      token: textOf(`served:${nameOfPart(served)}:${number}`),
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
  const data = { ...namesOf(served), kind, day: billedOn({ at }), units, ...(more && { more }) }
  return [{ type: 'ServedUnitsSpent', data }]
}

type Waived = { kind: UnitKind; unit: ServedUnitsWaived['data']['units'][number] }

/** One for each thing that cost nothing, in the order in which the request told them. */
function waivedUnits({ waived = [], ...served }: RequestServed['data']): Waived[] {
  return waived.map(({ kind, reason, what }, number) => ({
    kind,
    unit: {
      token: textOf(`waived:${nameOfPart(served)}:${number}`),
      what: spentOn(what, servedLimits.failedBytes),
      reason,
    },
  }))
}

function waivedOf(
  served: RequestServed['data'],
  { at, kind }: Part,
  listed: readonly Waived[],
): UsageEvent[] {
  const units = listed.filter(one => one.kind === kind).map(({ unit }) => unit)
  if (units.length === 0) return []
  return [{ type: 'ServedUnitsWaived', data: { ...namesOf(served), kind, day: billedOn({ at }), units } }]
}

const namesOf = ({ projectId, requestId, part, operation }: RequestServed['data']) => ({
  projectId,
  requestId: textOf(requestId),
  ...(part !== undefined && { part }),
  operation: textOf(operation),
})

const commit = ({ at, trace }: Pick<RunFacts, 'at' | 'trace'>, events: UsageEvent[]): UsageCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events,
})

const operationOf = ({ rendered }: SettledPage) => (rendered ? 'crawl_rendered' : 'crawl')

const costOf = (page: SettledPage): number => unitsOf(operationOf(page), page.blocked ? 'blocked' : 'billed')

const placeOf = ({ id, attempt }: SettledPage) => ({ pageId: id, ...(attempt !== undefined && { attempt }) })

/** A page of a run is billed once: whoever bills it again comes to the same token. */
const tokenOf = (runId: number, { key }: SettledPage) => `${runId}:${key}`
