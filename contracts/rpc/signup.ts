/** Questions and commands to auth-billing about signing up and paying. */
import { type Static, Type } from 'typebox'
import { BillingView, CheckoutView, PaymentTaken } from '../http/billing.ts'
import { Email, ProjectName, SignedUp } from '../http/signup.ts'
import { Id, orNull, Tier, Timestamp } from '../primitives.ts'
import { rpc } from './rpc.ts'

/** Where people reach this installation: the beginning of every link, without a slash at its end. */
const BaseUrl = Type.String()

/**
 * Whether the gateway that asks listens on loopback alone; missing: it does not. Elsewhere a checkout that moves no
 * money would give every tier to anyone.
 */
const IsLocal = Type.Optional(Type.Boolean())

export const SignUp = Type.Object({
  projectName: ProjectName,
  email: Email,
  tier: Tier,
  /** Of the challenge; null where none was sent. */
  token: orNull(Type.String()),
  clientIp: Type.String(),
  baseUrl: BaseUrl,
  isLocal: IsLocal,
})
export type SignUp = Static<typeof SignUp>

export const SignUpAnswer = SignedUp
export type SignUpAnswer = SignedUp

export const ReadCheckout = Type.Object({ intentId: Id, baseUrl: BaseUrl, isLocal: IsLocal })
export type ReadCheckout = Static<typeof ReadCheckout>

export const ReadCheckoutAnswer = CheckoutView
export type ReadCheckoutAnswer = CheckoutView

/** An event of the payment provider as it came: the signature is of these very bytes. */
export const TakePayment = Type.Object({
  /** In base64. */
  body: Type.String(),
  /** The values of the headers that may carry it. */
  signatures: Type.Array(Type.String()),
  baseUrl: BaseUrl,
})
export type TakePayment = Static<typeof TakePayment>

export const TakePaymentAnswer = PaymentTaken
export type TakePaymentAnswer = PaymentTaken

export const ReadBilling = Type.Object({ projectId: Id })
export type ReadBilling = Static<typeof ReadBilling>

export const ReadBillingAnswer = BillingView
export type ReadBillingAnswer = BillingView

/** A checkout that moves no money, by its session. */
export const ReadMockCheckout = Type.Object({ sessionId: Type.String(), isLocal: IsLocal })
export type ReadMockCheckout = Static<typeof ReadMockCheckout>

export const MockCheckout = Type.Object({
  intentId: Id,
  projectName: Type.String(),
  tier: Tier,
  status: Type.Union([Type.Literal('open'), Type.Literal('paid'), Type.Literal('expired')]),
  /** Not the address itself: whoever knows the intent's number can come here. */
  email: Type.String(),
  expiresAt: Timestamp,
  /** How mails leave here: by a mail server, into a folder of the installation, or not yet. */
  mails: Type.Union([Type.Literal('server'), Type.Literal('folder'), Type.Literal('wait')]),
})
export type MockCheckout = Static<typeof MockCheckout>

/** Null where there is no such session, or where money moves. */
export const ReadMockCheckoutAnswer = orNull(MockCheckout)
export type ReadMockCheckoutAnswer = Static<typeof ReadMockCheckoutAnswer>

export const PayMockCheckout = Type.Object({ sessionId: Type.String(), isLocal: IsLocal })
export type PayMockCheckout = Static<typeof PayMockCheckout>

/** The event that says so, signed as a provider signs it, to be sent to the webhook. */
export const PayMockCheckoutAnswer = orNull(Type.Object({ body: Type.String(), signature: Type.String() }))
export type PayMockCheckoutAnswer = Static<typeof PayMockCheckoutAnswer>

export const signUp = rpc({
  subject: 'ask.accounts.sign-up',
  request: SignUp,
  response: SignUpAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readCheckout = rpc({
  subject: 'ask.accounts.checkout',
  request: ReadCheckout,
  response: ReadCheckoutAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const takePayment = rpc({
  subject: 'ask.accounts.take-payment',
  request: TakePayment,
  response: TakePaymentAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readBilling = rpc({
  subject: 'ask.accounts.billing',
  request: ReadBilling,
  response: ReadBillingAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const readMockCheckout = rpc({
  subject: 'ask.accounts.mock-checkout',
  request: ReadMockCheckout,
  response: ReadMockCheckoutAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})

export const payMockCheckout = rpc({
  subject: 'ask.accounts.pay-mock-checkout',
  request: PayMockCheckout,
  response: PayMockCheckoutAnswer,
  callers: ['gateway'],
  server: 'auth-billing',
})
