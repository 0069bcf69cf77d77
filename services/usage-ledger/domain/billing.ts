/** What commits cost, on the UTC day of the commit: a run's one unit a page that it settled, a request's its units. */
import { dayOf } from '@tidemark/contracts/calendar'
import { spentOn, textOf } from '@tidemark/contracts/plain-text'
import type { UrlKey } from '@tidemark/contracts/primitives'
import { type RequestServed, servedLimits } from '@tidemark/contracts/served'
import type { ServedUnitsSpent, UnitKind, UsageCommit } from '@tidemark/contracts/usage'

/** What a commit of a run says, as far as it concerns money. */
export type RunFacts = {
  runId: number
  at: string
  trace: string | undefined
  /** Whose run it is: said by its first commit only. */
  projectId: number | null
  /** Without those that cost nothing. */
  settled: readonly { key: UrlKey; id: number }[]
  /** All that was and will be billed of the run, said by the commit that ends it. */
  billable: number | null
}

export type RequestFacts = { at: string; trace: string | undefined; served: RequestServed['data'] }

/** Units in one message of USAGE: with 2 KB each they are far below what a message holds. */
const unitsOfMessage = 1_000

const kinds: readonly UnitKind[] = ['page', 'cloud_page']

/** The bill for the pages that were settled. */
export const billFor = ({ runId, at, trace, settled }: RunFacts, projectId: number): UsageCommit => ({
  at,
  ...(trace !== undefined && { trace }),
  events: [
    {
      type: 'UnitsSpent',
      data: {
        projectId,
        runId,
        kind: 'page',
        day: dayOf(Date.parse(at)),
        units: settled.map(({ key, id }) => ({ token: tokenOf(runId, key), pageId: id })),
      },
    },
  ],
})

/** The bills for a request, to be stored in this order; none where it cost nothing. The same commit gives the same bills. */
export function billsFor({ at, trace, served }: RequestFacts): UsageCommit[] {
  const spent = unitsOf(served)
  const bills: UsageCommit[] = []
  for (let first = 0; first < spent.length; first += unitsOfMessage) {
    const here = spent.slice(first, first + unitsOfMessage)
    const more = first + unitsOfMessage < spent.length
    const events = kinds.flatMap(kind => factOf(served, { at, kind, more }, here))
    bills.push({ at, ...(trace !== undefined && { trace }), events })
  }
  return bills
}

type Unit = ServedUnitsSpent['data']['units'][number]
type Spent = { kind: UnitKind; unit: Unit }

/** One for each unit, in the order in which the request told them; the first one has its cost. */
function unitsOf({ requestId, units, costUsd }: RequestServed['data']): Spent[] {
  const each = units.flatMap(({ kind, n, what }) => {
    const plain = spentOn(what, servedLimits.whatBytes)
    return Array.from({ length: n }, () => ({ kind, what: plain }))
  })
  return each.map(({ kind, what }, number) => ({
    kind,
    unit: {
      token: textOf(`served:${requestId}:${number}`),
      what,
      ...(number === 0 && costUsd > 0 && { costUsd }),
    },
  }))
}

function factOf(
  { projectId, requestId, operation }: RequestServed['data'],
  { at, kind, more }: { at: string; kind: UnitKind; more: boolean },
  spent: readonly Spent[],
): ServedUnitsSpent[] {
  const units = spent.filter(one => one.kind === kind).map(({ unit }) => unit)
  if (units.length === 0) return []
  const day = dayOf(Date.parse(at))
  const names = { requestId: textOf(requestId), operation: textOf(operation) }
  const data = { projectId, ...names, kind, day, units, ...(more && { more }) }
  return [{ type: 'ServedUnitsSpent', data }]
}

/** A page of a run is billed once: whoever bills it again comes to the same token. */
const tokenOf = (runId: number, key: UrlKey) => `${runId}:${key}`
