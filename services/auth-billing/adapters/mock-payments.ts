/** A payment provider that moves no money: its checkout is a page of the gateway, and nobody can guess another's. */
import { randomBytes } from 'node:crypto'
import type { Payments } from './payments.ts'

const sessionBytes = 24

export const mockPayments: Payments = {
  mode: 'mock',
  sells: () => true,
  async createCheckout({ baseUrl }) {
    const sessionId = `cs_mock_${randomBytes(sessionBytes).toString('base64url')}`
    return { sessionId, url: `${baseUrl}/v1/billing/mock-checkout/${sessionId}` }
  },
}
