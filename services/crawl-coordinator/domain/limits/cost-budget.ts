/**
 * Keeps the bill of a run within `max_cost_usd`. A page reserves its price when it is first ordered, and holds it
 * through retries and second requests until it is settled. Spent and held amounts together never exceed the maximum, so
 * the run cannot bill more, in whatever order its responses arrive.
 *
 * A page that a browser may render reserves the higher of both prices, and releases the rest when it is settled.
 */
import { costOf, type MicroDollars, pricesOfPage, unitPrices } from '@tidemark/contracts/prices'
import { type Pending, type Queued, type Running, spentBy } from '../run.ts'
import type { CostBudget } from './state.ts'

/** Returns the budget of a run that starts; null: it has none. */
export function costBudgetOf({ settings, unitPrices: prices = unitPrices }: Queued): CostBudget | null {
  const { maxCost: max } = settings
  if (max === undefined) return null
  const { plain, rendered } = pricesOfPage(prices)
  return { max, prices, page: plain, maxPrice: Math.max(plain, rendered), held: 0 }
}

/** Returns the cost of the pages that the run has. */
const spentOf = (run: Parameters<typeof spentBy>[0], { prices }: Pick<CostBudget, 'prices'>) =>
  costOf(spentBy(run), prices)

/** Returns the amount that is neither spent nor held. */
const leftOf = (run: Running, cost: CostBudget): MicroDollars => cost.max - spentOf(run, cost) - cost.held

/** Returns the highest price at which a page may be settled in its present state. */
function priceOf(
  { settings, rendering }: Running,
  cost: CostBudget,
  { lane, answer }: Pending,
): MicroDollars {
  if (lane === 'browser' || answer?.rendered) return cost.maxPrice
  const mayNeedBrowser = lane === undefined && settings.render === 'auto' && !rendering.isOff
  return mayNeedBrowser && answer === undefined ? cost.maxPrice : cost.page
}

/** Reserves the price of a page that is ordered. A page that is ordered again holds its price already. */
export function holdPrice(run: Running, pending: Pending): void {
  if (run.cost === null || pending.price !== undefined) return
  pending.price = priceOf(run, run.cost, pending)
  run.cost.held += pending.price
}

/**
 * Adjusts the price that a page holds to its new lane or its first response. A page with a first response always holds
 * a price.
 */
export function adjustPrice(run: Running, pending: Pending): void {
  if (run.cost === null || (pending.price === undefined && pending.answer === undefined)) return
  const price = priceOf(run, run.cost, pending)
  run.cost.held += price - (pending.price ?? 0)
  pending.price = price
}

/** Releases the price that a page holds, when it is settled. Its bill counts with the pages of the run. */
export function releasePrice({ cost }: Running, { price = 0 }: Pending): void {
  if (cost !== null) cost.held -= price
}

/** Returns whether the budget can pay the price of a page, or the page already holds its price. */
export const canPay = (run: Running, pending: Pending): boolean =>
  run.cost === null || pending.price !== undefined || priceOf(run, run.cost, pending) <= leftOf(run, run.cost)

/** Returns whether a page that was fetched over plain HTTP can also pay for its rendering. */
export const canPayRendering = (run: Running, { price = 0 }: Pending): boolean =>
  run.cost === null || run.cost.maxPrice - price <= leftOf(run, run.cost)

/** The amount that one decision may still reserve for its orders. */
export type RemainingCost = {
  /** Returns whether the page can be paid. */
  fits(pending: Pending): boolean
  /** Takes the price of a page that fits and is ordered. */
  take(pending: Pending): void
  /** Returns whether no price is left. Only pages that already hold a price can still be ordered. */
  isEmpty(): boolean
}

/** Returns what remains for a decision; null: the run has no budget. */
export function remainingCostOf(run: Running): RemainingCost | null {
  const { cost } = run
  if (cost === null) return null
  let left = leftOf(run, cost)
  const wanted = (pending: Pending) => (pending.price === undefined ? priceOf(run, cost, pending) : 0)
  return {
    fits: pending => wanted(pending) <= left,
    take(pending) {
      left -= wanted(pending)
    },
    isEmpty: () => left < cost.page,
  }
}

/**
 * Returns how many pages the budget can pay at the price that a page reserves when it is first ordered. Pages must not
 * be pending.
 */
export function affordablePages(run: Running): number {
  const { cost } = run
  if (cost === null) return Number.POSITIVE_INFINITY
  const price = run.settings.render === undefined ? cost.page : cost.maxPrice
  return price === 0 ? Number.POSITIVE_INFINITY : Math.floor((cost.max - spentOf(run, cost)) / price)
}
