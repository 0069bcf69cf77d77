/**
 * Sells tiers by Stripe Checkout. The package of Stripe is loaded at the first purchase. Only cards are accepted,
 * because they pay at once: other payment methods are reported days later, by an event that this service ignores.
 */
import type Stripe from 'stripe'
import type { Order, Payments } from './payments.ts'

export type StripeSettings = { key: string; url: string; prices: ReadonlyMap<string, string> }

const timeoutMs = 10_000
/**
 * Seconds by which a session expires before its intent. Stripe rejects sessions that live longer than 24 hours by its
 * own clock.
 */
const maxClockSkewSeconds = 60

export function stripePayments({ key, url, prices }: StripeSettings): Payments {
  let client: Promise<Stripe> | undefined
  return {
    mode: 'live',
    sells: tier => prices.has(tier),
    async createCheckout(order) {
      client ??= connect(key, new URL(url))
      const { checkout } = await client
      const session = await checkout.sessions.create(sessionOf(order, prices.get(order.tier) ?? ''), {
        idempotencyKey: order.idempotencyKey,
      })
      if (session.url === null) throw new Error('Stripe returned a session without an address')
      return { sessionId: session.id, url: session.url }
    },
  }
}

async function connect(key: string, { protocol, hostname, port }: URL): Promise<Stripe> {
  const { default: Stripe } = await import('stripe')
  const isPlain = protocol === 'http:'
  return new Stripe(key, {
    host: hostname,
    protocol: isPlain ? 'http' : 'https',
    port: port || (isPlain ? 80 : 443),
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })
}

/**
 * Returns the session of a checkout. It omits the customer's address, because anyone who knows the id of the intent can
 * open the page.
 */
const sessionOf = (
  { intentId, baseUrl, expiresAt }: Order,
  price: string,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'subscription',
  client_reference_id: String(intentId),
  line_items: [{ price, quantity: 1 }],
  allowed_payment_method_types: ['card'],
  success_url: `${baseUrl}/v1/billing/paid`,
  cancel_url: `${baseUrl}/v1/billing/cancelled`,
  expires_at: Math.floor(Date.parse(expiresAt) / 1000) - maxClockSkewSeconds,
})
