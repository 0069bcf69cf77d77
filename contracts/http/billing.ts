/** `/v1/billing`: checkouts, what the payment provider tells of them, and what a project pays for. */
import { type Static, Type } from 'typebox'
import { orNull, Tier } from '../primitives.ts'

export const CheckoutQuery = Type.Object({
  intent_id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'As `POST /v1/signup` has answered it.',
    examples: [12],
  }),
})

export const CheckoutView = Type.Object(
  {
    checkout_url: Type.String({ description: 'A page for a browser, where the tier is paid.' }),
    mock: Type.Boolean({ description: 'No money moves: this installation has no payment provider.' }),
    intent_id: Type.Integer({ description: 'The one that was asked for.' }),
    tier: Type.Union(Tier.anyOf, { description: 'What is bought.' }),
  },
  { $id: 'Checkout' },
)
export type CheckoutView = Static<typeof CheckoutView>

/** As far as it is read; the provider sends much more. */
export const PaymentEvent = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Of the event: the same one may come again.',
    }),
    type: Type.String({ minLength: 1, maxLength: 255, description: 'What has happened.' }),
    data: Type.Object(
      {
        object: Type.Object(
          {},
          { additionalProperties: true, description: 'Of `checkout.session.completed`, the session.' },
        ),
      },
      { description: 'What it has happened to.' },
    ),
  },
  { $id: 'PaymentEvent', additionalProperties: true },
)
export type PaymentEvent = Static<typeof PaymentEvent>

/** The session of a `checkout.session.completed`; one that is none of ours may have no reference. */
export const CompletedCheckout = Type.Object({
  id: Type.String({ maxLength: 255 }),
  client_reference_id: Type.Optional(orNull(Type.String())),
  payment_status: Type.String(),
  customer: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
  subscription: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
})
export type CompletedCheckout = Static<typeof CompletedCheckout>

export const PaymentTaken = Type.Object(
  {
    received: Type.Optional(Type.Boolean({ description: 'The intent is paid, now or already.' })),
    intent_id: Type.Optional(Type.Integer({ description: 'Which one.' })),
    ignored: Type.Optional(Type.String({ description: 'The type of an event that changes nothing.' })),
    reason: Type.Optional(
      Type.String({
        description: 'Why, of a `checkout.session.completed`: unpaid, unknown_intent or other_session.',
      }),
    ),
  },
  { $id: 'PaymentTaken' },
)
export type PaymentTaken = Static<typeof PaymentTaken>

const text = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const BillingView = Type.Object(
  {
    tier: Type.Union(Tier.anyOf, { description: 'Of the project.' }),
    payment_customer_id: text('Who pays, by the name that the payment provider has for him.'),
    payment_subscription_id: text('What is paid, by the name that the payment provider has for it.'),
    subscription_status: text('As the payment provider said when it was bought; null: nothing is paid for.'),
    email: text('Of the signup; null of a project that the operator has made.'),
    billing_mode: Type.Union([Type.Literal('live'), Type.Literal('mock')], {
      description: 'mock: no money moves.',
    }),
  },
  { $id: 'Billing' },
)
export type BillingView = Static<typeof BillingView>
