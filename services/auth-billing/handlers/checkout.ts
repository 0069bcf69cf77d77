/** Returns the checkout of an intent, and creates it if necessary. */
import { refuse } from '@tidemark/bus/refusal'
import type { ReadCheckout, ReadCheckoutResponse } from '@tidemark/contracts/rpc/signup'
import type { Intents } from '../adapters/intents.ts'
import type { Checkout, Payments } from '../adapters/payments.ts'
import { endOf, type Intent } from '../domain/intent.ts'

export type CheckoutPorts = MockPorts & {
  intents: Pick<Intents, 'find' | 'keepCheckout'>
  payments: Payments
  /** Returns a hash that is keyed by this installation: equal texts have equal hashes. */
  fingerprint: (text: string) => string
  /** Notifies the relay of a new row in the outbox. */
  publish: (outboxId: number) => void
  trace: () => string | undefined
  now: () => number
  report: (error: unknown) => void
}

export type MockPorts = {
  payments: Pick<Payments, 'mode'>
  /** The gateways at which a mock checkout may sell paid tiers. */
  mockCheckout: 'loopback' | 'everywhere'
}

/**
 * Throws `not_configured` for the mock checkout of a gateway that other machines can reach, because any client would get
 * every tier without a payment. The operator can allow it.
 */
export function refuseOpenMock({ payments, mockCheckout }: MockPorts, isLocal = false): void {
  if (payments.mode !== 'mock' || mockCheckout === 'everywhere' || isLocal) return
  throw refuse('not_configured', {
    field: 'tier',
    message:
      'Paid tiers cannot be bought here: STRIPE_KEY is not set, and HOST of this gateway is not loopback, so any client could use the mock checkout. The operator can set STRIPE_KEY, or MOCK_CHECKOUT=everywhere.',
  })
}

/**
 * Returns the checkout of an intent. Rejects an unknown intent (`not_found`), and one that can no longer be paid
 * (`conflict`).
 */
export const readCheckout =
  (ports: CheckoutPorts) =>
  async ({ intentId, ...from }: ReadCheckout): Promise<ReadCheckoutResponse> => {
    const intent = await ports.intents.find(intentId)
    if (intent === null)
      throw refuse('not_found', { field: 'intent_id', message: `There is no intent ${intentId}.` })
    return checkoutOf(intent, from, ports)
  }

/**
 * Returns the checkout of the intent. Rejects with `conflict` when the intent has ended, with `unavailable` when the
 * payment provider does not respond, and with `not_configured` as `refuseOpenMock` does.
 */
export async function checkoutOf(
  intent: Intent,
  { baseUrl, isLocal }: Omit<ReadCheckout, 'intentId'>,
  ports: CheckoutPorts,
): Promise<ReadCheckoutResponse> {
  const at = new Date(ports.now()).toISOString()
  const end = endOf(intent, at)
  if (end !== null) throw ended(end)
  if (intent.mock || intent.checkoutUrl === null) refuseOpenMock(ports, isLocal)
  const kept = canBePaid(intent, ports.payments) ? intent : await newCheckout(intent, baseUrl, at, ports)
  const { id, tier, mock, checkoutUrl } = kept
  if (checkoutUrl === null) throw ended(endOf(kept, at) ?? 'failed')
  return { checkout_url: checkoutUrl, mock, intent_id: id, tier }
}

/**
 * Returns whether the stored checkout is valid. A mock checkout becomes invalid when real payments are configured. A
 * real checkout stays valid when real payments are no longer configured.
 */
const canBePaid = ({ checkoutUrl, mock }: Intent, { mode }: Payments): boolean =>
  checkoutUrl !== null && (!mock || mode === 'mock')

async function newCheckout(
  intent: Intent,
  baseUrl: string,
  at: string,
  { intents, payments, fingerprint, publish, trace, report }: CheckoutPorts,
): Promise<Intent> {
  const { id: intentId, tier, expiresAt } = intent
  const idempotencyKey = fingerprint(`checkout of intent ${intentId}`)
  const order = { intentId, tier, baseUrl, expiresAt, idempotencyKey }
  const checkout: Checkout = await payments.createCheckout(order).catch(cause => {
    report(cause)
    const message = 'The payment provider does not respond. Try again shortly.'
    throw refuse('unavailable', { message, retryAfterSeconds: 30 })
  })
  const mock = payments.mode === 'mock'
  const kept = await intents.keepCheckout(intentId, { ...checkout, mock }, { at, trace: trace() })
  if (kept.outboxId !== null) publish(kept.outboxId)
  return kept.intent ?? intent
}

const messages = {
  fulfilled: 'This checkout is paid: the key goes to the e-mail address of its signup.',
  expired: 'The checkout expired before payment, and the name is free again. Sign up again.',
  failed: 'The checkout could not be created. Sign up again.',
}

const ended = (end: keyof typeof messages) =>
  refuse('conflict', { reason: `intent_${end}`, field: 'intent_id', message: messages[end] })
