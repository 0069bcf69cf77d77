/**
 * Computes the bills of commits, on the UTC day of the commit: each page of a run by the price table, each request by the
 * units that it reported. Free attempts are listed too, so that the bill explains them.
 */
import { dayOf } from '@tidemark/contracts/calendar'
import { spentOn, textOf } from '@tidemark/contracts/plain-text'
import { prices, unitsOf } from '@tidemark/contracts/prices'
import type { UrlKey } from '@tidemark/contracts/primitives'
import { type ModelCalled, nameOfPart, type RequestServed, servedLimits } from '@tidemark/contracts/served'
import type {
  LedgerKind,
  ServedUnitsSpent,
  ServedUnitsWaived,
  UnitKind,
  UsageCommit,
  UsageEvent,
} from '@tidemark/contracts/usage'

/** The billing facts of a commit of a run. */
export type RunFacts = {
  runId: number
  at: string
  trace: string | undefined
  /** The project of the run. Only the first commit of a run has it. */
  projectId: number | null
  /** The pages that were fetched for the run. */
  settled: readonly SettledPage[]
  /** Number of URLs that could not be fetched, and of requests that an early end has dropped. */
  failed: number
  /** All units of the run, billed already or not. Only the commit that ends the run has them. */
  billable: Readonly<Record<UnitKind, number>> | null
  /** The number of the reopening by this commit, after which the run may spend units until its next end; null: none. */
  reopening: number | null
}

type SettledPage = { key: UrlKey; id: number; blocked?: true; attempt?: number; rendered?: true }

export type RequestFacts = {
  at: string
  trace: string | undefined
  served: RequestServed['data']
  /** The use of a language model by the request; null: it used none. */
  call: ModelCalled['data'] | null
}

/** The results of a commit that cost nothing, by kind. */
export type FreeResults = { projectId: number; day: string; units: Record<UnitKind, number> }

/** Maximum number of units in one message of USAGE. At 2 KB each they are far below the maximum size of a message. */
const unitsOfMessage = 1_000

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

/** Returns the UTC day on which a commit is billed. */
export const billedOn = ({ at }: Pick<RunFacts, 'at'>): string => dayOf(Date.parse(at))

/**
 * Returns the free results of a commit of a run. Failed URLs count as pages and not as cloud pages, because a commit
 * does not contain how they were requested.
 */
export function freeOfRun({ at, settled, failed }: RunFacts, projectId: number): FreeResults {
  const units = { page: failed, cloud_page: 0 }
  for (const page of settled) if (costOf(page) === 0) units[prices[operationOf(page)].kind] += 1
  return { projectId, day: billedOn({ at }), units }
}

/**
 * Returns the free results of a request or of a part of it, listed or not. If the request is `uncounted`, the numbers
 * are 0.
 */
export function freeOfRequest({ at, served }: RequestFacts): FreeResults {
  const { projectId, waived = [], unlisted, uncounted } = served
  if (uncounted) return { projectId, day: billedOn({ at }), units: { page: 0, cloud_page: 0 } }
  const units = { page: 0, cloud_page: 0, ...unlisted }
  for (const { kind } of waived) units[kind] += 1
  return { projectId, day: billedOn({ at }), units }
}

/** Returns the number of free units in these bills. */
export const listedIn = (bills: readonly UsageCommit[]): number =>
  bills
    .flatMap(({ events }) => events)
    .reduce((sum, { type, data }) => (waivedTypes.has(type) ? sum + data.units.length : sum), 0)

/** Returns the billed units of a bill by kind and operation. The operation of the pages of a run is `crawl`. */
export const spentIn = ({ events }: UsageCommit): { kind: LedgerKind; operation: string; units: number }[] =>
  events.flatMap(({ type, data }) => {
    const { kind, units } = data
    if (type === 'UnitsSpent') return [{ kind, operation: 'crawl', units: units.length }]
    return type === 'ServedUnitsSpent' || type === 'ModelCallsSpent'
      ? [{ kind, operation: data.operation, units: units.length }]
      : []
  })

const waivedTypes: ReadonlySet<string> = new Set(['UnitsWaived', 'ServedUnitsWaived'])

/**
 * Returns the bill for settled pages; null when it would be empty. It lists at most `maxWaived` free pages. The same
 * commit and maximum give the same bill.
 */
export function billFor(
  { runId, at, trace, settled }: RunFacts,
  projectId: number,
  maxWaived: number,
): UsageCommit | null {
  const spent = settled.filter(page => costOf(page) > 0)
  const listed = settled.filter(page => costOf(page) === 0).slice(0, maxWaived)
  const common = { projectId, runId, day: billedOn({ at }) }
  const events = [
    ...byKind(spent.map(rowOf(`${runId}`)), (kind, units) => ({
      type: 'UnitsSpent',
      data: { ...common, kind, units },
    })),
    ...byKind(listed.map(rowOf(`waived:${runId}`)), (kind, units) => ({
      type: 'UnitsWaived',
      data: { ...common, kind, reason: 'blocked', units },
    })),
  ]
  return events.length === 0 ? null : commit({ at, trace }, events)
}

type Row<Unit> = { kind: UnitKind; unit: Unit }

/** Returns an event for each kind of which there are units. */
const byKind = <Unit>(
  rows: readonly Row<Unit>[],
  eventOf: (kind: UnitKind, units: Unit[]) => UsageEvent,
): UsageEvent[] =>
  kinds.flatMap(kind => {
    const units = rows.filter(row => row.kind === kind).map(({ unit }) => unit)
    return units.length > 0 ? [eventOf(kind, units)] : []
  })

/** Returns the row of a page. A page of a run is billed once, because a second bill has the same token. */
const rowOf = (prefix: string) => (page: SettledPage) => ({
  kind: prices[operationOf(page)].kind,
  unit: {
    token: `${prefix}:${page.key}`,
    pageId: page.id,
    ...(page.attempt !== undefined && { attempt: page.attempt }),
  },
})

/**
 * Returns the bills for a request in the order in which they are to be stored; empty when there is nothing to list. They
 * list at most `maxWaived` free units. The same commit and maximum give the same bills.
 */
export function billsFor({ at, trace, served, call }: RequestFacts, maxWaived: number): UsageCommit[] {
  const spent = spentRows(served)
  const common = { ...namesOf(served), day: billedOn({ at }) }
  const bills: UsageEvent[][] = []
  for (let first = 0; first < spent.length; first += unitsOfMessage) {
    const more = first + unitsOfMessage < spent.length && { more: true as const }
    bills.push(
      byKind(spent.slice(first, first + unitsOfMessage), (kind, units) => ({
        type: 'ServedUnitsSpent',
        data: { ...common, kind, units, ...more },
      })),
    )
  }
  const waived = byKind(waivedRows(served).slice(0, maxWaived), (kind, units) => ({
    type: 'ServedUnitsWaived',
    data: { ...common, kind, units },
  }))
  const last = [...waived, ...(call === null ? [] : [callEvent(call, at)])]
  // Free units and calls belong to the last bill, which ends the reservation.
  if (last.length > 0) bills.push([...(bills.pop() ?? []), ...last])
  return bills.map(events => commit({ at, trace }, events))
}

/** Returns the units of a request in the order in which it reported them. The first one has the cost of the request. */
function spentRows({
  units,
  costUsd,
  ...served
}: RequestServed['data']): Row<ServedUnitsSpent['data']['units'][number]>[] {
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

/** Returns the free units of a request in the order in which it reported them. */
function waivedRows({
  waived = [],
  ...served
}: RequestServed['data']): Row<ServedUnitsWaived['data']['units'][number]>[] {
  return waived.map(({ kind, reason, what }, number) => ({
    kind,
    unit: {
      token: textOf(`waived:${nameOfPart(served)}:${number}`),
      what: spentOn(what, servedLimits.failedBytes),
      reason,
    },
  }))
}

/** Returns the row of a model's use. Its token is that of the request, so a second reading adds nothing. */
function callEvent(call: ModelCalled['data'], at: string): UsageEvent {
  const { model, inputTokens, outputTokens } = call
  const unit = {
    token: textOf(`model:${nameOfPart(call)}`),
    what: spentOn(call.what, servedLimits.whatBytes),
    ...{ model: textOf(model), inputTokens, outputTokens },
  }
  return {
    type: 'ModelCallsSpent',
    data: { ...namesOf(call), kind: 'model_call', day: billedOn({ at }), units: [unit] },
  }
}

const namesOf = ({
  projectId,
  requestId,
  part,
  operation,
}: Pick<RequestServed['data'], 'projectId' | 'requestId' | 'part' | 'operation'>) => ({
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
