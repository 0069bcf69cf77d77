/** The state of the limits of a run: amounts that are spent, and those that its pending pages reserve. */
import type { MicroDollars } from '@tidemark/contracts/prices'
import type { UnitKind } from '@tidemark/contracts/usage'

/** The maximum cost of a run. */
export type CostBudget = {
  max: MicroDollars
  prices: Readonly<Record<UnitKind, MicroDollars>>
  /** Price of a plain page, and the higher of the prices of a plain and a rendered page. */
  page: MicroDollars
  maxPrice: MicroDollars
  /** Sum of the prices that pending pages hold. */
  held: MicroDollars
}

/** The price that a pending page holds. */
export type HeldPrice = { price?: MicroDollars }

/** The maximum bytes of the pages of a run. */
export type ByteBudget = {
  max: number
  /** Bytes of the pages that the run has. */
  spent: number
  /** Bytes that pending pages hold: for their body in flight, or for their first response. */
  held: number
  /** Number of pending pages that need more than all remaining bytes. If there is one, no page is ordered any more. */
  over: number
}

/** The bytes that a pending page holds. */
export type HeldBytes = {
  bytes?: number
  /** Whether the page holds all remaining bytes. */
  isRest?: boolean
  /** Whether its body exceeds the usual bytes of an order. */
  isLarge?: true
  /** Whether the page needs more than all remaining bytes. */
  isOver?: true
}

/** Pending pages with a server error. Each reserves a page or cloud page of the quota until its second response. */
export type Rechecks = {
  /** Keys of pages that wait for the end of the run, in the order of their responses. */
  waiting: Set<string>
  /** Keys in `waiting` of pages that a browser renders. */
  rendered: Set<string>
  /** Number of all pending pages with a server error, including those whose second request is in flight. */
  all: number
}
