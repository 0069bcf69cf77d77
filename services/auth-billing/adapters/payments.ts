/** Who takes the money. A checkout is a page of theirs; that it was paid is told by an event that they sign. */

import { randomBytes } from 'node:crypto'
import type { Tier, Timestamp } from '@tidemark/contracts/primitives'

export type Order = {
  intentId: number
  tier: Tier
  /** Equal for one intent of this installation, whoever asks and however often. */
  once: string
  /** Where people come back to. */
  baseUrl: string
  expiresAt: Timestamp
}
export type Checkout = { sessionId: string; url: string }

export type Payments = {
  mode: 'live' | 'mock'
  /** Whether this tier can be bought. */
  sells(tier: Tier): boolean
  /** Throws when the provider is away or refuses. */
  createCheckout(order: Order): Promise<Checkout>
}

const sessionBytes = 24

/** Moves no money: its checkout is a page of the gateway under a name that no one can guess. */
export const mockPayments: Payments = {
  mode: 'mock',
  sells: () => true,
  async createCheckout({ baseUrl }) {
    const sessionId = `cs_mock_${randomBytes(sessionBytes).toString('base64url')}`
    return { sessionId, url: `${baseUrl}/v1/billing/mock-checkout/${sessionId}` }
  },
}
