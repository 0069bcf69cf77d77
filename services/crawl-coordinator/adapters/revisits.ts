/**
 * Adds the validators of the previous run to the orders of a monitor's run. This only saves bytes: pages without them
 * are fetched whole.
 */
import { readRevisits } from '@tidemark/content/revisits'
import type { FetchOrder } from '@tidemark/contracts/work/fetch'
import type { Pool } from 'pg'
import type { AddValidators } from './send-orders.ts'

type Options = { pool: Pick<Pool, 'query'>; report: (error: unknown) => void }

export const validatorsFrom =
  ({ pool, report }: Options): AddValidators =>
  async ({ orders, known }) => {
    const since = orders.revisits?.since
    if (!since || known.length === 0) return orders
    const found = await readRevisits(pool, since, known, orders.storeHtml).catch(report)
    if (!found?.size) return orders
    const withValidators = (order: FetchOrder): FetchOrder => {
      const revisit = found.get(order.key)
      if (revisit === undefined) return order
      const { etag, lastModified } = revisit
      return { ...order, validators: { etag, lastModified } }
    }
    return { ...orders, orders: orders.orders.map(withValidators) }
  }
