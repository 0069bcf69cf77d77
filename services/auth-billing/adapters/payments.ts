/**
 * Describes the payment provider. A checkout is a page of the provider. The provider reports a payment by a signed
 * event.
 */

import { randomBytes } from 'node:crypto'
import type { Tier, Timestamp } from '@tidemark/contracts/primitives'

export type Order = {
  intentId: number
  tier: Tier
  /** Equal for all requests for one intent of this installation. */
  idempotencyKey: string
  /** The site to which customers return. */
  baseUrl: string
  expiresAt: Timestamp
}
export type Checkout = { sessionId: string; url: string }

export type Payments = {
  mode: 'live' | 'mock'
  /** Returns whether this tier can be bought. */
  sells(tier: Tier): boolean
  /** Rejects when the provider does not respond or refuses. */
  createCheckout(order: Order): Promise<Checkout>
}

const sessionBytes = 24

/** A mock that moves no money. Its checkout is a page of the gateway with an unpredictable name. */
export const mockPayments: Payments = {
  mode: 'mock',
  sells: () => true,
  async createCheckout({ baseUrl }) {
    const sessionId = `cs_mock_${randomBytes(sessionBytes).toString('base64url')}`
    return { sessionId, url: `${baseUrl}/v1/billing/mock-checkout/${sessionId}` }
  },
}
