/** Defines the settings for payments: by Stripe if its key is set, else by a mock that moves no money. */
import { oneOf } from '@tidemark/contracts/primitives'
import { type Static, Type } from 'typebox'
import { urlFault } from './settings-signup.ts'

export const payments = {
  STRIPE_KEY: Type.String({
    default: '',
    check: keyFault,
    description:
      'Secret key of Stripe (`sk_…` or `rk_…`). Unset or a placeholder: checkouts are a mock, and MOCK_CHECKOUT decides whether paid tiers are available without a payment.',
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    default: '',
    description:
      "Secret (`whsec_…`) of Stripe's event signatures. Required with a `STRIPE_KEY`. The mock derives its own from `SECRETS_KEY`.",
  }),
  STRIPE_PRICES: Type.Array(Type.String(), {
    default: [],
    check: priceFault,
    description:
      'Stripe price of each tier, as `pro=price_…,agency=price_…,studio=price_…`. Required with a `STRIPE_KEY`. A tier without a price is not for sale.',
  }),
  MOCK_CHECKOUT: oneOf(['loopback', 'everywhere'], {
    default: 'loopback',
    description:
      'Gateways at which the mock checkout sells paid tiers without a STRIPE_KEY. loopback: only a gateway whose HOST is loopback, which other machines cannot reach; elsewhere a paid tier is 503 not_configured. everywhere: all gateways, so that any client gets every tier without a payment.',
  }),
  STRIPE_URL: Type.String({
    default: 'https://api.stripe.com',
    check: urlFault,
    description: "Address of Stripe's API.",
  }),
}

const Payments = Type.Object(payments)
export type PaymentSettings = Static<typeof Payments>

/** Returns whether the key is usable at Stripe. A live key always is, even if it contains the word of a placeholder. */
export const isRealKey = (key: string): boolean =>
  wellFormed.test(key) && (isLive.test(key) || !placeholder.test(key))

const wellFormed = /^(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}$/
const isLive = /^(?:sk|rk)_live_/i
const placeholder = /placeholder|change_?me|example|dummy|your|x{5,}|0{8,}/i

/** Returns the Stripe price by tier. */
export const pricesOf = (settings: PaymentSettings): Map<string, string> =>
  new Map(settings.STRIPE_PRICES.map(price => price.split('=') as [string, string]))

/** Reports the settings that a real STRIPE_KEY requires and that are missing. */
export function paymentFaults(settings: PaymentSettings): string[] {
  if (!isRealKey(settings.STRIPE_KEY)) return []
  const faults: string[] = []
  if (settings.STRIPE_WEBHOOK_SECRET === '')
    faults.push('STRIPE_WEBHOOK_SECRET is missing (STRIPE_KEY requires the secret of its events)')
  if (settings.STRIPE_PRICES.length === 0)
    faults.push('STRIPE_PRICES is missing (STRIPE_KEY requires the prices of tiers)')
  return faults
}

/**
 * Returns the fault of a key, or null. A mistyped key is a fault: if it counted as a placeholder, the mock would sell
 * all tiers without a payment.
 */
function keyFault(text: string): string | null {
  if (text === '' || isRealKey(text) || (placeholder.test(text) && !isLive.test(text))) return null
  return 'is neither a key of Stripe nor a placeholder'
}

function priceFault(text: string): string | null {
  return /^(?:pro|agency|studio)=\w+$/.test(text) ? null : 'must be like pro=price_123'
}
