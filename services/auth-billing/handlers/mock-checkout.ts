/** What a payment provider would do, where there is none: show what is bought, and tell that it was paid. */
import type {
  MockCheckout,
  PayMockCheckout,
  PayMockCheckoutAnswer,
  ReadMockCheckout,
  ReadMockCheckoutAnswer,
} from '@tidemark/contracts/ask/signup'
import type { Intents } from '../adapters/intents.ts'
import type { Payments } from '../adapters/payments.ts'
import { masked } from '../domain/email-address.ts'
import { endOf, type Intent } from '../domain/intent.ts'
import { mockEvent } from '../domain/payment-event.ts'
import { signatureOf } from '../domain/payment-signature.ts'

export type Ports = {
  intents: Pick<Intents, 'findBySession'>
  payments: Pick<Payments, 'mode'>
  webhookSecret: string
  mails: MockCheckout['mails']
  now: () => number
}

export const readMockCheckout =
  (ports: Ports) =>
  async ({ sessionId }: ReadMockCheckout): Promise<ReadMockCheckoutAnswer> => {
    const intent = await findMock(sessionId, ports)
    if (intent === null) return null
    const { id: intentId, projectName, tier, email, expiresAt } = intent
    const { mails } = ports
    return {
      intentId,
      projectName,
      tier,
      status: statusOf(intent, ports.now()),
      email: masked(email),
      expiresAt,
      mails,
    }
  }

/** Of one that is paid, the same event once more: like a provider's, it may come any number of times. */
export const payMockCheckout =
  (ports: Ports) =>
  async ({ sessionId }: PayMockCheckout): Promise<PayMockCheckoutAnswer> => {
    const intent = await findMock(sessionId, ports)
    const now = ports.now()
    if (intent === null || statusOf(intent, now) === 'expired') return null
    const seconds = Math.floor(now / 1000)
    const body = JSON.stringify(mockEvent({ intentId: intent.id, sessionId }, seconds))
    return { body, signature: signatureOf(Buffer.from(body), ports.webhookSecret, seconds) }
  }

async function findMock(sessionId: string, { intents, payments }: Ports): Promise<Intent | null> {
  if (payments.mode !== 'mock') return null
  const intent = await intents.findBySession(sessionId)
  return intent?.mock ? intent : null
}

function statusOf(intent: Intent, now: number): MockCheckout['status'] {
  const end = endOf(intent, new Date(now).toISOString())
  return end === null ? 'open' : end === 'fulfilled' ? 'paid' : 'expired'
}
