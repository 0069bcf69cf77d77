/**
 * Checks that every spent unit, call of a language model and cost is in the ledger once and is counted once, that every run
 * is billed for its pages, and every request for what it reported.
 */

import { type BilledTotals, dayKey, noSpending, type Spending } from '../billed-totals.ts'
import type { Client } from '../open-instance.ts'
import type { RunHistory } from '../rebuild/run-histories.ts'
import type { ServedRequest } from '../served-requests.ts'
import { count, type Findings } from './check.ts'

/** `model_call` is null in the counters of an earlier version, which counted no calls. */
type Counted = Omit<Spending, 'model_call'> & { model_call: number | null }
type Row = Counted & { project_id: number; day: string }

const none = noSpending()

const rowsOf = (units: string) => `
  select project_id, day::text, count(*) filter (where kind = 'page')::int as page,
    count(*) filter (where kind = 'cloud_page')::int as cloud_page,
    count(*) filter (where kind = 'model_call')::int as model_call, (sum(cost_usd) * 1000000)::bigint as micro_usd
  from ledger.unit where units ${units} group by project_id, day`

// Read as JSON, because the database of an earlier version has no such column.
const counters = `
  select project_id, day::text, pages as page, cloud_pages as cloud_page,
    (to_json(counter) ->> 'model_calls')::bigint as model_call, (cloud_cost_usd * 1000000)::bigint as micro_usd
  from ledger.counter`

/**
 * Checks that units in USAGE, rows and counters agree by project and day, and that free entries do. The units must be
 * read to the sequence that the rows have reached.
 */
export async function checkLedger(client: Client, { byDay, waivedByDay }: BilledTotals): Promise<Findings> {
  const inRows = byKey((await client.query<Row>(rowsOf('> 0'))).rows)
  const free = byKey((await client.query<Row>(rowsOf('= 0'))).rows)
  const inCounters = byKey((await client.query<Row>(counters)).rows)
  const days = [...new Set([...byDay.keys(), ...inRows.keys(), ...inCounters.keys()])].sort()
  const wrong = days.flatMap(day => {
    const spent = byDay.get(day) ?? none
    const rows = inRows.get(day) ?? none
    const counted = inCounters.get(day) ?? none
    return same(spent, rows) && same(spent, counted)
      ? []
      : [
          `project and day ${day}: USAGE has ${inWords(spent)}, the rows ${inWords(rows)}, the counter ${inWords(counted)}`,
        ]
  })
  const freeDays = [...new Set([...waivedByDay.keys(), ...free.keys()])].sort()
  const freeWrong = freeDays.flatMap(day => {
    const listed = waivedByDay.get(day) ?? none
    const rows = free.get(day) ?? none
    if (same(listed, rows)) return []
    return [
      `project and day ${day}: USAGE has ${inWords(listed)} that cost nothing, the rows ${inWords(rows)}`,
    ]
  })
  return { looked: count(days.length, 'day'), wrong: [...wrong, ...freeWrong] }
}

/**
 * Checks that every page that billing has reached is billed, except challenges, and that no unsettled page is. The units
 * must be read before the end of the histories, so that no bill is younger than its page.
 */
export function checkBills(histories: ReadonlyMap<number, RunHistory>, { byRun }: BilledTotals): string[] {
  const runs = [...new Set([...histories.keys(), ...byRun.keys()])].sort((a, b) => a - b)
  return runs.flatMap(runId => {
    const history = histories.get(runId)
    const billed = byRun.get(runId) ?? none
    if (history === undefined) return [`run ${runId}: ${inWords(billed)} billed, but it has no event`]
    const { due, billable, deletedWith } = history
    const min = { ...none, ...(deletedWith ?? due) }
    const max = { ...none, ...(deletedWith ?? billable) }
    if (isWithin(min, billed) && isWithin(billed, max)) return []
    return [`run ${runId}: ${inWords(min)} to be billed, but ${inWords(billed)} billed`]
  })
}

/**
 * Checks that requests are billed for the units that they reported, or for a part until billing has reached their end.
 * Requests that SERVED has dropped, from before its first message, cannot be compared.
 */
export function checkRequests(
  served: ReadonlyMap<string, ServedRequest>,
  { byRequest, servedAt }: Pick<BilledTotals, 'byRequest' | 'servedAt'>,
  firstServed: number,
): string[] {
  const requests = [...new Set([...served.keys(), ...byRequest.keys()])].sort()
  return requests.flatMap(requestId => {
    const request = served.get(requestId)
    const billed = byRequest.get(requestId) ?? none
    if (request === undefined && (servedAt.get(requestId) ?? firstServed) < firstServed) return []
    if (request === undefined)
      return [`request ${requestId}: ${inWords(billed)} billed, but it was not served`]
    const { units, isDue } = request
    if (same(units, billed) || (!isDue && isWithin(billed, units))) return []
    return [`request ${requestId}: ${inWords(units)} to be billed, but ${inWords(billed)} billed`]
  })
}

const byKey = (rows: Row[]): Map<string, Counted> =>
  new Map(rows.map(({ project_id, day, ...counted }) => [dayKey(project_id, day), counted]))

const isWithin = (part: Spending, whole: Spending): boolean =>
  part.page <= whole.page &&
  part.cloud_page <= whole.cloud_page &&
  part.model_call <= whole.model_call &&
  part.micro_usd <= whole.micro_usd

const same = (a: Spending, b: Counted): boolean =>
  a.page === b.page &&
  a.cloud_page === b.cloud_page &&
  (b.model_call === null || a.model_call === b.model_call) &&
  a.micro_usd === b.micro_usd

function inWords({ page, cloud_page, model_call, micro_usd }: Counted): string {
  const more = [
    ...(model_call ? [count(model_call, 'model call')] : []),
    ...(micro_usd === 0 ? [] : [`${micro_usd / 1e6} USD`]),
  ]
  const pages = `${page} and ${cloud_page} of the cloud`
  return more.length === 0 ? pages : `${pages} with ${more.join(' and ')}`
}
