/** Requests and commands to auth-billing for signup and payment. */
import { type Static, Type } from 'typebox'
import { BillingView, CheckoutView, PaymentTaken } from '../http/billing.ts'
import { Email, ProjectName, SignedUp } from '../http/signup.ts'
import { Id, oneOf, orNull, Tier, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** The public address of this installation, with which every link begins, without a trailing slash. */
const BaseUrl = Type.String()

/**
 * Whether the gateway listens only on loopback; missing: it does not. On other interfaces a checkout without payments
 * would give every tier to anyone.
 */
const IsLocal = Type.Optional(Type.Boolean())

export const SignUp = Type.Object({
  projectName: ProjectName,
  email: Email,
  tier: Tier,
  /** Response token of the captcha; null: none was sent. */
  token: orNull(Type.String()),
  clientIp: Type.String(),
  baseUrl: BaseUrl,
  isLocal: IsLocal,
})
export type SignUp = Static<typeof SignUp>

export const SignUpResponse = SignedUp
export type SignUpResponse = SignedUp

export const ReadCheckout = Type.Object({ intentId: Id, baseUrl: BaseUrl, isLocal: IsLocal })
export type ReadCheckout = Static<typeof ReadCheckout>

export const ReadCheckoutResponse = CheckoutView
export type ReadCheckoutResponse = CheckoutView

/** An event of the payment provider, unchanged, because the signature covers these exact bytes. */
export const TakePayment = Type.Object({
  /** Base64-encoded. */
  body: Type.String(),
  /** The values of the headers that may contain the signature. */
  signatures: Type.Array(Type.String()),
  baseUrl: BaseUrl,
})
export type TakePayment = Static<typeof TakePayment>

export const TakePaymentResponse = PaymentTaken
export type TakePaymentResponse = PaymentTaken

export const ReadBilling = Type.Object({ projectId: Id })
export type ReadBilling = Static<typeof ReadBilling>

export const ReadBillingResponse = BillingView
export type ReadBillingResponse = BillingView

/** A checkout without payments, by its session. */
export const ReadMockCheckout = Type.Object({ sessionId: Type.String(), isLocal: IsLocal })
export type ReadMockCheckout = Static<typeof ReadMockCheckout>

export const MockCheckout = Type.Object({
  intentId: Id,
  projectName: Type.String(),
  tier: Tier,
  status: oneOf(['open', 'paid', 'expired']),
  /** The abbreviated address, because every client that knows the number of the intent can read it. */
  email: Type.String(),
  expiresAt: Timestamp,
  /** How the installation sends mails: through a mail server, into a local folder, or not yet. */
  mails: oneOf(['server', 'folder', 'wait']),
})
export type MockCheckout = Static<typeof MockCheckout>

/** Null: there is no such session, or the installation has a payment provider. */
export const ReadMockCheckoutResponse = orNull(MockCheckout)
export type ReadMockCheckoutResponse = Static<typeof ReadMockCheckoutResponse>

export const PayMockCheckout = Type.Object({ sessionId: Type.String(), isLocal: IsLocal })
export type PayMockCheckout = Static<typeof PayMockCheckout>

/** The event of the payment, signed as by a provider, for the webhook. */
export const PayMockCheckoutResponse = orNull(Type.Object({ body: Type.String(), signature: Type.String() }))
export type PayMockCheckoutResponse = Static<typeof PayMockCheckoutResponse>

export const signUp = rpc({
  subject: 'ask.accounts.sign-up',
  request: SignUp,
  response: SignUpResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readCheckout = rpc({
  subject: 'ask.accounts.checkout',
  request: ReadCheckout,
  response: ReadCheckoutResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const takePayment = rpc({
  subject: 'ask.accounts.take-payment',
  request: TakePayment,
  response: TakePaymentResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readBilling = rpc({
  subject: 'ask.accounts.billing',
  request: ReadBilling,
  response: ReadBillingResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readMockCheckout = rpc({
  subject: 'ask.accounts.mock-checkout',
  request: ReadMockCheckout,
  response: ReadMockCheckoutResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const payMockCheckout = rpc({
  subject: 'ask.accounts.pay-mock-checkout',
  request: PayMockCheckout,
  response: PayMockCheckoutResponse,
  callers: ['gateway'],
  server: 'auth-billing',
})
