/**
 * Hears what the payment provider tells. A provider sends an event again until it is answered with 2xx, so 4xx is
 * only for who is no provider; what is understood and changes nothing is answered as ignored, with the reason. Where
 * somebody has paid and gets nothing for it, that is an error of somebody's, and an operator is told.
 */
import { randomInt } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import { CompletedCheckout, PaymentEvent } from '@tidemark/contracts/http/billing'
import type { TakePayment, TakePaymentAnswer } from '@tidemark/contracts/rpc/signup'
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

/** Refuses what was not signed by the provider, or too long ago (`invalid_signature`), and what is no event. */
export const takePayment =
  ({ payments, webhookSecret, fulfil, publish, log, trace, now }: Ports) =>
  async ({ body, signatures, baseUrl }: TakePayment): Promise<TakePaymentAnswer> => {
    const bytes = Buffer.from(body, 'base64')
    const seconds = Math.floor(now() / 1000)
    if (!signatures.some(signature => isSigned(signature, bytes, webhookSecret, seconds)))
      throw refuse('invalid_signature')
    const payment = paymentOf(eventIn(bytes), isCheckout)
    if ('ignored' in payment) return payment
    const told = { at: new Date(now()).toISOString(), trace: trace() }
    const isOwn = ({ sessionId, mock }: Intent) =>
      sessionId === payment.sessionId || (mock && payments.mode === 'mock')
    const done = await fulfil(payment, told, preparing(payment, { baseUrl, ...told }), isOwn)
    if ('outboxIds' in done) {
      done.outboxIds.forEach(publish)
      return { received: true, intent_id: done.intentId }
    }
    const { reason, isNews } = done
    if (isNews) {
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
    // What is no JSON is no event either.
  }
  throw refuse('invalid_input', {
    reason: 'bad_json',
    message: 'The body is not an event. An event has id, type and data.',
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
