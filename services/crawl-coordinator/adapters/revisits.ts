/**
 * Puts beside the orders of a monitor's run how its pages were known in the run before. It spares bytes and no more:
 * where it cannot be found out, the pages are fetched whole.
 */
import { readRevisits } from '@tidemark/content/revisits'
import type { FetchOrder, FetchOrders } from '@tidemark/contracts/work/fetch'
import type { Pool } from 'pg'
import type { OrderMessage } from './send-orders.ts'

/** The orders as they go out. Never rejects. */
export type AddValidators = (message: OrderMessage) => Promise<FetchOrders>

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
