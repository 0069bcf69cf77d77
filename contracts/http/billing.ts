/** `/v1/billing`: checkouts, payment webhooks, and the billing state of a project. */
import { type Static, Type } from 'typebox'
import { oneOf, orNull, Tier } from '../primitives.ts'
import { warnings } from './lists.ts'

export const CheckoutQuery = Type.Object({
  intent_id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The `intent_id` that `POST /v1/signup` returned.',
    examples: [12],
  }),
})

export const CheckoutView = Type.Object(
  {
    checkout_url: Type.String({ description: 'Address of the checkout page, for a browser.' }),
    mock: Type.Boolean({
      description: 'Test mode without payments: this installation has no payment provider.',
    }),
    intent_id: Type.Integer({ description: 'The requested intent.' }),
    tier: Type.Union(Tier.anyOf, { description: 'The tier that is bought.' }),
    warnings,
  },
  { $id: 'Checkout' },
)
export type CheckoutView = Static<typeof CheckoutView>

/** The fields of an event that the gateway reads. The provider sends more. */
export const PaymentEvent = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Id of the event. The same event may arrive again.',
      }),
    ),
    type: Type.String({ minLength: 1, maxLength: 255, description: 'Type of the event.' }),
    data: Type.Optional(
      Type.Object(
        {
          object: Type.Optional(
            Type.Object(
              {},
              { additionalProperties: true, description: 'For `checkout.session.completed`: the session.' },
            ),
          ),
        },
        { description: 'The object of the event.' },
      ),
    ),
  },
  { $id: 'PaymentEvent', additionalProperties: true },
)
export type PaymentEvent = Static<typeof PaymentEvent>

/**
 * The session of a `checkout.session.completed`; a foreign session may have no reference. The reference may be a number,
 * as `intent_id` is. No status means paid.
 */
export const CompletedCheckout = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 255 })),
  client_reference_id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
  payment_status: Type.Optional(Type.String()),
  customer: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
  subscription: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
})
export type CompletedCheckout = Static<typeof CompletedCheckout>

export const PaymentTaken = Type.Object(
  {
    received: Type.Optional(
      Type.Boolean({ description: 'The intent is paid, by this event or an earlier one.' }),
    ),
    intent_id: Type.Optional(Type.Integer({ description: 'The intent that is paid.' })),
    ignored: Type.Optional(Type.String({ description: 'The type of an event that changes nothing.' })),
    reason: Type.Optional(
      Type.String({
        description:
          'The reason, for a `checkout.session.completed`: unpaid, unknown_intent or other_session.',
      }),
    ),
  },
  { $id: 'PaymentTaken' },
)
export type PaymentTaken = Static<typeof PaymentTaken>

const text = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const BillingView = Type.Object(
  {
    tier: Type.Union(Tier.anyOf, { description: 'Tier of the project.' }),
    payment_customer_id: text('Customer id of the payment provider.'),
    payment_subscription_id: text('Subscription id of the payment provider.'),
    subscription_status: text(
      'Status of the subscription, as the payment provider stated it at the purchase; null: no subscription.',
    ),
    email: text('Mail address of the signup; null: the operator created the project.'),
    billing_mode: oneOf(['live', 'mock'], {
      description: 'mock: test mode without payments.',
    }),
    warnings,
  },
  { $id: 'Billing' },
)
export type BillingView = Static<typeof BillingView>
