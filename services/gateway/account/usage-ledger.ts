/** The route for the bill of a project: each unit with its target, and failures that cost nothing. */
import { Ledger, type LedgerItem, LedgerQuery } from '@tidemark/contracts/http/usage-ledger'
import type { App } from '../app.ts'
import { formatOf } from '../http/domain/list-format.ts'
import { rowsText } from '../http/domain/list-rows.ts'
import { partOf } from '../http/domain/window.ts'
import { vary } from '../http/requests/vary.ts'
import { sendRows } from '../http/responses/row-list.ts'
import type { Usage } from '../metering/adapters/usage.ts'
import { ledgerItem, ledgerRequest, ledgerShape } from './domain/ledger.ts'

export type LedgerPorts = Pick<Usage, 'readLedger'> & {
  /** Returns the URLs of pages by id, without deleted ones. */
  pageUrls: (projectId: number, ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  now: () => number
}

const path = '/v1/usage/ledger'

export function ledgerRoutes(app: App, ports: LedgerPorts): void {
  app.get(
    path,
    {
      schema: {
        operationId: 'listLedger',
        summary: 'List the usage ledger',
        description:
          'Lists the bill row by row, in the order in which it was written. The units of a day add up to the counters of that day in /v1/usage and /v1/usage/history. Attempts that cost nothing are listed with 0 units. A row appears shortly after the work that it bills.',
        tags: ['Usage'],
        querystring: LedgerQuery,
        response: { 200: Ledger },
      },
    },
    async ({ caller: { projectId }, query, headers }, reply) => {
      const format = formatOf(query.format, headers.accept)
      vary(reply, 'Accept')
      const { items, next_offset } = partOf(query, await itemsOf(ports, projectId, query))
      if (format === 'json') return { items, next_offset }
      const rows = rowsText(format, ledgerShape, [items])
      return sendRows(reply, { format, rows, next: next_offset, path, query })
    },
  )
}

async function itemsOf(
  { readLedger, pageUrls, now }: LedgerPorts,
  projectId: number,
  query: LedgerQuery,
): Promise<LedgerItem[]> {
  const { rows } = await readLedger(ledgerRequest(projectId, query, now()))
  const ids = rows.flatMap(({ pageId }) => pageId ?? [])
  const urls = await pageUrls(projectId, ids)
  return rows.map(row => ledgerItem(row, urls))
}
