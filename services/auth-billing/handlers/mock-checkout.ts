/** Serves the mock of a payment provider: it shows the order, and reports its payment. */
import type {
  MockCheckout,
  PayMockCheckout,
  PayMockCheckoutResponse,
  ReadMockCheckout,
  ReadMockCheckoutResponse,
} from '@tidemark/contracts/rpc/signup'
import type { Intents } from '../adapters/intents.ts'
import { endOf, type Intent } from '../domain/intent.ts'
import { mockEvent } from '../domain/payment-event.ts'
import { signatureOf } from '../domain/payment-signature.ts'
import { type MockPorts, refuseOpenMock } from './checkout.ts'

export type Ports = MockPorts & {
  intents: Pick<Intents, 'findBySession'>
  webhookSecret: string
  mails: MockCheckout['mails']
  now: () => number
}

export const readMockCheckout =
  (ports: Ports) =>
  async (request: ReadMockCheckout): Promise<ReadMockCheckoutResponse> => {
    const intent = await findMock(request, ports)
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

/**
 * Returns the event of the payment; null: there is no such checkout, or it has expired. For a paid intent it is the
 * same event again, as a provider may repeat its events.
 */
export const payMockCheckout =
  (ports: Ports) =>
  async (request: PayMockCheckout): Promise<PayMockCheckoutResponse> => {
    const intent = await findMock(request, ports)
    const now = ports.now()
    if (intent === null || statusOf(intent, now) === 'expired') return null
    const seconds = Math.floor(now / 1000)
    const body = JSON.stringify(mockEvent({ intentId: intent.id, sessionId: request.sessionId }, seconds))
    return { body, signature: signatureOf(Buffer.from(body), ports.webhookSecret, seconds) }
  }

/** Returns the intent of a mock checkout, or null. Rejects with `not_configured` as `refuseOpenMock` does. */
async function findMock({ sessionId, isLocal }: PayMockCheckout, ports: Ports): Promise<Intent | null> {
  if (ports.payments.mode !== 'mock') return null
  refuseOpenMock(ports, isLocal)
  const intent = await ports.intents.findBySession(sessionId)
  return intent?.mock ? intent : null
}

function statusOf(intent: Intent, now: number): MockCheckout['status'] {
  const end = endOf(intent, new Date(now).toISOString())
  return end === null ? 'open' : end === 'fulfilled' ? 'paid' : 'expired'
}

/** Masks an e-mail address so that only its owner recognises it. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(1, at))}***${email.slice(at)}`
}
