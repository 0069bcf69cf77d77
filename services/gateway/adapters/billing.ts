/** Signing up and paying: asked of auth-billing, who alone decides about both. */
import { ask } from '@tidemark/bus/ask'
import type { Bus } from '@tidemark/bus/connection'
import type {
  MockCheckout,
  PayMockCheckout,
  PayMockCheckoutAnswer,
  ReadBilling,
  ReadBillingAnswer,
  ReadCheckout,
  ReadCheckoutAnswer,
  ReadMockCheckout,
  ReadMockCheckoutAnswer,
  SignUp,
  SignUpAnswer,
  TakePayment,
  TakePaymentAnswer,
} from '@tidemark/contracts/ask/signup'
import type { BillingView, CheckoutView, PaymentTaken } from '@tidemark/contracts/http/billing'
import { asks } from '@tidemark/contracts/subjects'

export type Billing = {
  signUp(request: Omit<SignUp, 'baseUrl'>): Promise<SignUpAnswer>
  checkout(intentId: number): Promise<CheckoutView>
  /** `body` as it came; the values of the headers that may carry its signature. */
  takePayment(body: Uint8Array, signatures: string[]): Promise<PaymentTaken>
  status(projectId: number): Promise<BillingView>
  /** Null where there is no such checkout, or where money moves. */
  mockCheckout(sessionId: string): Promise<MockCheckout | null>
  /** Tells the webhook that it was paid, as a provider would; false where it cannot be paid. */
  payMock(sessionId: string): Promise<boolean>
}

const timeoutMs = 10_000
/** A challenge is verified and a payment provider asked meanwhile. */
const outwardMs = 30_000

/**
 * Every function throws auth-billing's `Refusal`, or `unavailable` when it is away.
 * @param baseUrl where people reach this installation, without a slash at its end
 */
export function openBilling(bus: Bus, baseUrl: () => string): Billing {
  const takePayment = (body: Uint8Array, signatures: string[]) =>
    ask<TakePayment, TakePaymentAnswer>(
      bus,
      asks.takePayment,
      { body: Buffer.from(body).toString('base64'), signatures, baseUrl: baseUrl() },
      { timeoutMs },
    )
  return {
    takePayment,

    signUp: request =>
      ask<SignUp, SignUpAnswer>(
        bus,
        asks.signUp,
        { ...request, baseUrl: baseUrl() },
        { timeoutMs: outwardMs },
      ),

    checkout(intentId) {
      const question = { intentId, baseUrl: baseUrl() }
      return ask<ReadCheckout, ReadCheckoutAnswer>(bus, asks.readCheckout, question, { timeoutMs: outwardMs })
    },

    status: projectId =>
      ask<ReadBilling, ReadBillingAnswer>(bus, asks.readBilling, { projectId }, { timeoutMs }),

    mockCheckout: sessionId =>
      ask<ReadMockCheckout, ReadMockCheckoutAnswer>(bus, asks.readMockCheckout, { sessionId }, { timeoutMs }),

    async payMock(sessionId) {
      const question = { sessionId }
      const event = await ask<PayMockCheckout, PayMockCheckoutAnswer>(bus, asks.payMockCheckout, question, {
        timeoutMs,
      })
      if (event === null) return false
      const { received = false } = await takePayment(Buffer.from(event.body), [event.signature])
      return received
    },
  }
}
