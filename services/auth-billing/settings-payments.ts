/** How tiers are paid: through Stripe where there is a key of it, else by a mock that moves no money. */
import { SettingsError } from '@tidemark/config/settings'
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

/** Whether this is a key with which Stripe can be asked, and no placeholder. */
export const isRealKey = (key: string): boolean =>
  /^(?:sk|rk)_(?:live|test)_[0-9A-Za-z]{16,}$/.test(key) && !placeholder.test(key)

const placeholder = /placeholder|change_?me|example|dummy|your|x{5,}|0{8,}/i

/** Price by tier. */
export const pricesOf = (settings: PaymentSettings): Map<string, string> =>
  new Map(settings.STRIPE_PRICES.map(price => price.split('=') as [string, string]))

/** Throws SettingsError where money could come in and nobody would hear of it. */
export function checkPayments(settings: PaymentSettings): void {
  if (!isRealKey(settings.STRIPE_KEY)) return
  const faults: string[] = []
  if (settings.STRIPE_WEBHOOK_SECRET === '')
    faults.push('STRIPE_WEBHOOK_SECRET is missing (with STRIPE_KEY, the secret of its events must be said)')
  if (settings.STRIPE_PRICES.length === 0)
    faults.push('STRIPE_PRICES is missing (with STRIPE_KEY, what tiers cost must be said)')
  if (faults.length > 0) throw new SettingsError(faults)
}

/** What is plainly another of Stripe's names must not be taken for a placeholder: everything would be free. */
function keyFault(text: string): string | null {
  return /^(?:pk|whsec|price|prod|acct)_/.test(text) ? 'must be a secret key: sk_… or rk_…' : null
}

function priceFault(text: string): string | null {
  return /^(?:pro|agency|studio)=\w+$/.test(text) ? null : 'must be like pro=price_123'
}
