/** Selects rows of the ledger, and formats them. Days are UTC days. */

import { dayMs, dayOf } from '@tidemark/contracts/calendar'
import {
  type LedgerItem,
  type LedgerQuery,
  ledgerColumns,
  maxLedgerDays,
} from '@tidemark/contracts/http/usage-ledger'
import type { LedgerRow, ReadLedger } from '@tidemark/contracts/rpc/usage'
import { refusal } from '../../http/domain/refusal.ts'
import { oneMore } from '../../http/domain/window.ts'

/**
 * Returns the request for the rows, with one row more than the limit. Throws `ApiProblem` (`invalid_input`) if `from`
 * is after `to`, the days are too many, or a day is not supported.
 */
export function ledgerRequest(projectId: number, query: LedgerQuery, now: number): ReadLedger {
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

/** Returns the first and the last day. A filter by one run or request includes all days. */
function spanOf({ from, to, run_id, request_id }: LedgerQuery, now: number): Pick<ReadLedger, 'from' | 'to'> {
  assertSupported('from', from)
  assertSupported('to', to)
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

/** The database has no year 0. */
const earliest = '0001-01-01'

function assertSupported(field: 'from' | 'to', day: string | undefined): void {
  if (day === undefined || day >= earliest) return
  throw refusal(field, 'out_of_range', `${field} must not be before ${earliest}; ${day} was sent.`)
}

/**
 * Returns a row in the form of the API.
 * @param urls URLs of pages that are not deleted, by id
 */
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
    model: row.model ?? null,
    input_tokens: row.inputTokens ?? null,
    output_tokens: row.outputTokens ?? null,
  }
}

/** Columns of the CSV. `url` is defused against formulas, because clients choose it. */
export const ledgerShape = { columns: ledgerColumns, freeText: ['url'] }
