/** Where an intent is paid: at the checkout that it has, or at one that is made now. */
import { refuse } from '@tidemark/bus/ask'
import type { ReadCheckout, ReadCheckoutAnswer } from '@tidemark/contracts/ask/signup'
import type { Intents } from '../adapters/intents.ts'
import type { Checkout, Payments } from '../adapters/payments.ts'
import { endOf, type Intent } from '../domain/intent.ts'

export type CheckoutPorts = {
  intents: Pick<Intents, 'find' | 'keepCheckout'>
  payments: Payments
  /** Equal texts, equal answers; of this installation alone. */
  fingerprint: (text: string) => string
  /** Tells the relay that a row waits. */
  publish: (outboxId: number) => void
  trace: () => string | undefined
  now: () => number
  report: (error: unknown) => void
}

/** Refuses an intent that there is not (`not_found`), and one that nothing can be paid for any more (`conflict`). */
export const readCheckout =
  (ports: CheckoutPorts) =>
  async ({ intentId, baseUrl }: ReadCheckout): Promise<ReadCheckoutAnswer> => {
    const intent = await ports.intents.find(intentId)
    if (intent === null)
      throw refuse('not_found', { field: 'intent_id', message: `There is no intent ${intentId}.` })
    return checkoutOf(intent, baseUrl, ports)
  }

/** Throws `conflict` for one that has ended, `unavailable` when the payment provider is away. */
export async function checkoutOf(
  intent: Intent,
  baseUrl: string,
  ports: CheckoutPorts,
): Promise<ReadCheckoutAnswer> {
  const at = new Date(ports.now()).toISOString()
  const end = endOf(intent, at)
  if (end !== null) throw ended(end)
  const kept = canBePaid(intent, ports.payments) ? intent : await newCheckout(intent, baseUrl, at, ports)
  const { id, tier, mock, checkoutUrl } = kept
  if (checkoutUrl === null) throw ended(endOf(kept, at) ?? 'failed')
  return { checkout_url: checkoutUrl, mock, intent_id: id, tier }
}

/** A checkout of the mock is none any more where money is taken meanwhile; one that takes money stays one. */
const canBePaid = ({ checkoutUrl, mock }: Intent, { mode }: Payments): boolean =>
  checkoutUrl !== null && (!mock || mode === 'mock')

async function newCheckout(
  intent: Intent,
  baseUrl: string,
  at: string,
  { intents, payments, fingerprint, publish, trace, report }: CheckoutPorts,
): Promise<Intent> {
  const { id: intentId, tier, expiresAt } = intent
  const order = { intentId, tier, baseUrl, expiresAt, once: fingerprint(`checkout of intent ${intentId}`) }
  const checkout: Checkout = await payments.createCheckout(order).catch(cause => {
    report(cause)
    const message = 'The payment provider does not answer now. Try again shortly.'
    throw refuse('unavailable', { message, retryAfterSeconds: 30 })
  })
  const mock = payments.mode === 'mock'
  const kept = await intents.keepCheckout(intentId, { ...checkout, mock }, { at, trace: trace() })
  if (kept.outboxId !== null) publish(kept.outboxId)
  return kept.intent ?? intent
}

const says = {
  fulfilled: 'This is paid already: the key was mailed.',
  expired: 'This was not paid in time, and its name is free again. Sign up once more.',
  failed: 'There was no checkout for this. Sign up once more.',
}

const ended = (end: keyof typeof says) =>
  refuse('conflict', { reason: `intent_${end}`, field: 'intent_id', message: says[end] })
