/** Requests signups and payments from auth-billing, which alone decides about both. */
import type { Bus } from '@tidemark/bus/connection'
import { call } from '@tidemark/bus/rpc'
import type { BillingView, CheckoutView, PaymentTaken } from '@tidemark/contracts/http/billing'
import type { MockCheckout, SignUp, SignUpResponse } from '@tidemark/contracts/rpc/signup'
import * as signupRpc from '@tidemark/contracts/rpc/signup'

export type Billing = {
  signUp(request: Omit<SignUp, 'baseUrl' | 'isLocal'>): Promise<SignUpResponse>
  checkout(intentId: number): Promise<CheckoutView>
  /**
   * Sends an event of the payment provider: its body as received, and the values of the headers that may contain its
   * signature.
   */
  takePayment(body: Uint8Array, signatures: string[]): Promise<PaymentTaken>
  status(projectId: number): Promise<BillingView>
  /** Returns a mock checkout; null: it is unknown, or real money is used. */
  mockCheckout(sessionId: string): Promise<MockCheckout | null>
  /** Reports the payment of a mock checkout like a provider. Returns false if it cannot be paid. */
  payMock(sessionId: string): Promise<boolean>
}

const timeoutMs = 10_000
/** Timeout in ms of requests that include the verification of a challenge and a request to the payment provider. */
const outwardMs = 30_000

/**
 * Opens the requests. Every function throws auth-billing's `Refusal`, or `unavailable` if it does not respond.
 * @param baseUrl the public URL of this installation, without a slash at its end
 * @param isLocal whether this gateway listens on loopback only
 */
export function openBilling(bus: Bus, baseUrl: () => string, isLocal: () => boolean): Billing {
  const from = () => ({ baseUrl: baseUrl(), isLocal: isLocal() })
  const takePayment = (body: Uint8Array, signatures: string[]) =>
    call(
      bus,
      signupRpc.takePayment,
      { body: Buffer.from(body).toString('base64'), signatures, baseUrl: baseUrl() },
      { timeoutMs },
    )
  return {
    takePayment,

    signUp: request => call(bus, signupRpc.signUp, { ...request, ...from() }, { timeoutMs: outwardMs }),

    checkout(intentId) {
      const request = { intentId, ...from() }
      return call(bus, signupRpc.readCheckout, request, { timeoutMs: outwardMs })
    },

    status: projectId => call(bus, signupRpc.readBilling, { projectId }, { timeoutMs }),

    mockCheckout(sessionId) {
      const request = { sessionId, isLocal: isLocal() }
      return call(bus, signupRpc.readMockCheckout, request, { timeoutMs })
    },

    async payMock(sessionId) {
      const request = { sessionId, isLocal: isLocal() }
      const event = await call(bus, signupRpc.payMockCheckout, request, { timeoutMs })
      if (event === null) return false
      const { received = false } = await takePayment(Buffer.from(event.body), [event.signature])
      return received
    },
  }
}
