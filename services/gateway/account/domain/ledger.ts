/** Selects rows of the ledger, and formats them. Days are UTC days. */

import { dayOf } from '@tidemark/contracts/calendar'
import { csvLine, defused } from '@tidemark/contracts/http/csv'
import {
  type LedgerItem,
  type LedgerQuery,
  ledgerColumns,
  maxLedgerDays,
} from '@tidemark/contracts/http/usage-ledger'
import type { LedgerRow, ReadLedger } from '@tidemark/contracts/rpc/usage'
import type { ListFormat } from '../../http/domain/list-format.ts'
import { refusal } from '../../http/domain/refusal.ts'
import { oneMore } from '../../http/domain/window.ts'

const dayMs = 86_400_000

/** One row more than is wanted. Throws `ApiProblem` (`invalid_input`) for days that are no span, or too long a one. */
export function ledgerQuestion(projectId: number, query: LedgerQuery, now: number): ReadLedger {
  const { run_id, request_id, kind } = query
  return {
    projectId,
    ...spanOf(query, now),
    runId: run_id ?? null,
    requestId: request_id ?? null,
    kind: kind ?? null,
    ...oneMore(query),
  }
}

/** A filter by one run or request includes all of its days. */
function spanOf({ from, to, run_id, request_id }: LedgerQuery, now: number): Pick<ReadLedger, 'from' | 'to'> {
  const isOne = run_id !== undefined || request_id !== undefined
  if (from === undefined && isOne) return { from: null, to: to ?? null }
  const last = to ?? dayOf(now)
  const first = from ?? last
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days < 1)
    throw refusal('from', 'conflicting_fields', `from must not be after to; ${first} is after ${last}.`)
  if (days > maxLedgerDays) {
    throw refusal(
      'from',
      'out_of_range',
      `from and to must be at most ${maxLedgerDays} days apart. Request longer times in parts.`,
    )
  }
  return { from: first, to: last }
}

/** @param urls URLs of pages that are not deleted, by id */
export function ledgerItem(row: LedgerRow, urls: ReadonlyMap<number, string>): LedgerItem {
  const { at, day, kind, units, operation, attempt } = row
  return {
    at,
    day,
    kind,
    units,
    reason: row.reason as LedgerItem['reason'],
    operation,
    run_id: row.runId,
    page_id: row.pageId,
    request_id: row.requestId,
    url: row.what ?? (row.pageId === null ? null : (urls.get(row.pageId) ?? null)),
    attempt,
    cost_usd: row.costUsd,
  }
}

/** One line per item, after the header line of CSV. */
export async function* ledgerLines(
  format: Exclude<ListFormat, 'json'>,
  items: readonly LedgerItem[],
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(ledgerColumns)
  if (items.length > 0) yield items.map(format === 'csv' ? csvOf : jsonLine).join('')
}

const jsonLine = (item: LedgerItem): string => `${JSON.stringify(item)}\n`

/** An address as a client gave it may be any text. */
const csvOf = (item: LedgerItem): string =>
  csvLine(ledgerColumns.map(column => (column === 'url' ? item.url && defused(item.url) : item[column])))
