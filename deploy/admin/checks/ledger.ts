/**
 * Checks that every spent unit is in the ledger once and is counted once, that every run is billed for its pages, and
 * every request for the units that it reported.
 */
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import type { ServedRequest } from '../served-requests.ts'
import { dayKey, noUnits, type Units, type UnitsSpent } from '../units-spent.ts'
import { count, type Findings } from './check.ts'

type Row = { project_id: number; day: string; page: number; cloud_page: number }

const none = noUnits()

const rowsOf = (units: string) => `
  select project_id, day::text, count(*) filter (where kind = 'page')::int as page,
    count(*) filter (where kind = 'cloud_page')::int as cloud_page
  from ledger.unit where units ${units} group by project_id, day`

const counters = `select project_id, day::text, pages as page, cloud_pages as cloud_page from ledger.counter`

/**
 * Checks that units in USAGE, rows and counters agree by project and day, and that free entries do. The units must be
 * read to the sequence that the rows have reached.
 */
export async function checkLedger(client: Client, { byDay, waivedByDay }: UnitsSpent): Promise<Findings> {
  const inRows = byKey((await client.query<Row>(rowsOf('> 0'))).rows)
  const free = byKey((await client.query<Row>(rowsOf('= 0'))).rows)
  const inCounters = byKey((await client.query<Row>(counters)).rows)
  const days = [...new Set([...byDay.keys(), ...inRows.keys(), ...inCounters.keys()])].sort()
  const wrong = days.flatMap(day => {
    const [spent, rows, counted] = [byDay, inRows, inCounters].map(map => map.get(day) ?? none)
    return same(spent, rows) && same(spent, counted)
      ? []
      : [
          `project and day ${day}: USAGE has ${tell(spent)}, the rows ${tell(rows)}, the counter ${tell(counted)}`,
        ]
  })
  const freeDays = [...new Set([...waivedByDay.keys(), ...free.keys()])].sort()
  const freeWrong = freeDays.flatMap(day => {
    const [listed, rows] = [waivedByDay, free].map(map => map.get(day) ?? none)
    if (same(listed, rows)) return []
    return [`project and day ${day}: USAGE has ${tell(listed)} that cost nothing, the rows ${tell(rows)}`]
  })
  return { looked: count(days.length, 'day'), wrong: [...wrong, ...freeWrong] }
}

/**
 * Checks that every page that billing has reached is billed, except challenges, and that no unsettled page is. The units
 * must be read before the end of the histories, so that no bill is younger than its page.
 */
export function checkBills(histories: ReadonlyMap<number, RunHistory>, { byRun }: UnitsSpent): string[] {
  const runs = [...new Set([...histories.keys(), ...byRun.keys()])].sort((a, b) => a - b)
  return runs.flatMap(runId => {
    const history = histories.get(runId)
    const billed = byRun.get(runId) ?? none
    if (history === undefined) return [`run ${runId}: ${tell(billed)} billed, but it has no event`]
    const { due, billable, deletedWith } = history
    const [least, most] = deletedWith === null ? [due, billable] : [deletedWith, deletedWith]
    if (isWithin(least, billed) && isWithin(billed, most)) return []
    return [`run ${runId}: ${tell(least)} to be billed, but ${tell(billed)} billed`]
  })
}

/**
 * Checks that requests are billed for the units that they reported, or for a part until billing has reached their end.
 * Requests that SERVED has dropped, from before its first message, cannot be compared.
 */
export function checkRequests(
  served: ReadonlyMap<string, ServedRequest>,
  { byRequest, servedAt }: Pick<UnitsSpent, 'byRequest' | 'servedAt'>,
  firstServed: number,
): string[] {
  const requests = [...new Set([...served.keys(), ...byRequest.keys()])].sort()
  return requests.flatMap(requestId => {
    const request = served.get(requestId)
    const billed = byRequest.get(requestId) ?? none
    if (request === undefined && (servedAt.get(requestId) ?? firstServed) < firstServed) return []
    if (request === undefined) return [`request ${requestId}: ${tell(billed)} billed, but it was not served`]
    const { units, isDue } = request
    if (same(units, billed) || (!isDue && isWithin(billed, units))) return []
    return [`request ${requestId}: ${tell(units)} to be billed, but ${tell(billed)} billed`]
  })
}

const byKey = (rows: Row[]): Map<string, Units> =>
  new Map(rows.map(({ project_id, day, ...units }) => [dayKey(project_id, day), units]))

const isWithin = (part: Units, whole: Units): boolean =>
  part.page <= whole.page && part.cloud_page <= whole.cloud_page

const same = (a: Units | undefined, b: Units | undefined): boolean =>
  a?.page === b?.page && a?.cloud_page === b?.cloud_page

const tell = ({ page, cloud_page }: Units = none): string => `${page} and ${cloud_page} of the cloud`
