/**
 * Receives events of the payment provider. A provider repeats an event until it gets a 2xx, so 4xx is only for other
 * senders. A valid event without effect is ignored with a reason. A payment that creates no project is an error, and is
 * logged for the operator.
 */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import { CompletedCheckout, PaymentEvent } from '@tidemark/contracts/http/billing'
import type { TakePayment, TakePaymentResponse } from '@tidemark/contracts/rpc/signup'
import type { Logger } from '@tidemark/telemetry/log'
import { Compile } from 'typebox/compile'
import type { Fulfil, Prepare } from '../adapters/fulfilment.ts'
import type { Payments } from '../adapters/payments.ts'
import type { Intent } from '../domain/intent.ts'
import { newAccount } from '../domain/new-account.ts'
import { type Payment, paymentOf } from '../domain/payment-event.ts'
import { isSigned } from '../domain/payment-signature.ts'

export type Ports = {
  payments: Pick<Payments, 'mode'>
  webhookSecret: string
  fulfil: Fulfil
  publish: (outboxId: number) => void
  log: Pick<Logger, 'error'>
  trace: () => string | undefined
  now: () => number
}

const isEvent = Compile(PaymentEvent)
const ofCheckouts = Compile(CompletedCheckout)
const isCheckout = (session: unknown): session is CompletedCheckout => ofCheckouts.Check(session)

/**
 * Processes an event. Rejects a missing, wrong or old signature (`invalid_signature`), and a body that is not an event
 * (`invalid_input`).
 */
export const takePayment =
  ({ payments, webhookSecret, fulfil, publish, log, trace, now }: Ports) =>
  async ({ body, signatures, baseUrl }: TakePayment): Promise<TakePaymentResponse> => {
    const bytes = Buffer.from(body, 'base64')
    const seconds = Math.floor(now() / 1000)
    if (!signatures.some(signature => isSigned(signature, bytes, webhookSecret, seconds)))
      throw refuse('invalid_signature')
    const payment = paymentOf(eventIn(bytes), isCheckout)
    if ('ignored' in payment) return payment
    const info = { at: new Date(now()).toISOString(), trace: trace() }
    const isOwn = ({ sessionId, mock }: Intent) =>
      sessionId === payment.sessionId || (mock && payments.mode === 'mock')
    const result = await fulfil(payment, info, preparing(payment, { baseUrl, ...info }), isOwn)
    if ('outboxIds' in result) {
      result.outboxIds.forEach(publish)
      return { received: true, intent_id: result.intentId }
    }
    const { reason, isNew } = result
    if (isNew) {
      const { eventId: event, sessionId: session, intentId: intent } = payment
      log.error(
        { event, session, intent, reason },
        'a payment was received, but no project was created for it',
      )
    }
    return { ignored: payment.type, reason }
  }

function eventIn(bytes: Buffer): PaymentEvent {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8'))
    if (isEvent.Check(event)) return event
  } catch {
    // A body that is not JSON is not an event.
  }
  throw refuse('invalid_input', {
    reason: 'bad_json',
    message: 'The body is not an event. An event has a type.',
  })
}

type Paying = {
  baseUrl: string
  at: string
  trace: string | undefined
}

const preparing =
  ({ customer, subscription }: Payment, more: Paying): Prepare =>
  ({ id: intentId, tier, email, mock }, name) =>
    newAccount(
      {
        name,
        tier,
        email,
        mailKey: `intent:${intentId}`,
        paid: { intentId, mode: mock ? 'mock' : 'live', customer, subscription },
        ...more,
      },
      randomInt,
    ).account
