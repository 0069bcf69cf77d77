/** How tiers are paid: through Stripe where there is a key of it, else by a mock that moves no money. */
import { type Static, Type } from 'typebox'
import { urlFault } from './settings-signup.ts'

export const payments = {
  STRIPE_KEY: Type.String({
    default: '',
    check: keyFault,
    description:
      'Secret key of Stripe (`sk_…` or `rk_…`). Unset or a placeholder: checkouts are a mock, and every tier is had without paying.',
  }),
  STRIPE_WEBHOOK_SECRET: Type.String({
    default: '',
    description:
      'Secret (`whsec_…`) that Stripe signs its events with. Needed with a `STRIPE_KEY`; for the mock one of this installation is made from `SECRETS_KEY`.',
  }),
  STRIPE_PRICES: Type.Array(Type.String(), {
    default: [],
    check: priceFault,
    description:
      'What is charged for each tier, as `pro=price_…,agency=price_…,studio=price_…`. Needed with a `STRIPE_KEY`; a tier without a price cannot be bought.',
  }),
  STRIPE_URL: Type.String({
    default: 'https://api.stripe.com',
    check: urlFault,
    description: 'Where Stripe is reached.',
  }),
}

const Payments = Type.Object(payments)
export type PaymentSettings = Static<typeof Payments>

/** Whether this is a key with which Stripe can be asked. One of live money is, whatever it reads like. */
export const isRealKey = (key: string): boolean =>
  wellFormed.test(key) && (isLive.test(key) || !placeholder.test(key))

const wellFormed = /^(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}$/
const isLive = /^(?:sk|rk)_live_/i
const placeholder = /placeholder|change_?me|example|dummy|your|x{5,}|0{8,}/i

/** Price by tier. */
export const pricesOf = (settings: PaymentSettings): Map<string, string> =>
  new Map(settings.STRIPE_PRICES.map(price => price.split('=') as [string, string]))

/** What is wrong where money could come in and nobody would hear of it. */
export function paymentFaults(settings: PaymentSettings): string[] {
  if (!isRealKey(settings.STRIPE_KEY)) return []
  const faults: string[] = []
  if (settings.STRIPE_WEBHOOK_SECRET === '')
    faults.push('STRIPE_WEBHOOK_SECRET is missing (with STRIPE_KEY, the secret of its events must be said)')
  if (settings.STRIPE_PRICES.length === 0)
    faults.push('STRIPE_PRICES is missing (with STRIPE_KEY, what tiers cost must be said)')
  return faults
}

/** What is mistyped must not be taken for a placeholder: everything would be free. */
function keyFault(text: string): string | null {
  if (text === '' || isRealKey(text) || (placeholder.test(text) && !isLive.test(text))) return null
  return 'is neither a key of Stripe nor a placeholder'
}

function priceFault(text: string): string | null {
  return /^(?:pro|agency|studio)=\w+$/.test(text) ? null : 'must be like pro=price_123'
}
