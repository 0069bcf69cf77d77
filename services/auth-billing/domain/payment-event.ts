/** Interprets an event of the payment provider: as the paid checkout of an intent, or as an event to ignore. */
import type { CompletedCheckout, PaymentEvent } from '@tidemark/contracts/http/billing'

export type Payment = {
  eventId: string
  type: string
  /** Null when the event has no valid intent id. */
  intentId: number | null
  sessionId: string
  customer: string | null
  subscription: string | null
}
/** The event is valid and has no effect. The response is 200, because a repetition would change nothing. */
export type Ignored = { ignored: string; reason?: IgnoredReason }
export type IgnoredReason = 'unpaid' | UnfulfilledReason
/** Why a payment creates no project: the intent does not exist, or another session must be paid for it. */
export type UnfulfilledReason = 'unknown_intent' | 'other_session'

const completed = 'checkout.session.completed'
const paid = ['paid', 'no_payment_required']

/**
 * Returns the payment. Every other type of event is ignored (specification, Signup and billing), and so are objects
 * that are not sessions or are not paid. A payment without an intent of this installation is returned too, because it
 * must be recorded.
 * @param isCheckout returns whether a value is a `CompletedCheckout`
 */
export function paymentOf(
  { id, type, data }: PaymentEvent,
  isCheckout: (session: unknown) => session is CompletedCheckout,
): Payment | Ignored {
  if (type !== completed) return { ignored: type }
  const session: unknown = data?.object
  if (!isCheckout(session)) return { ignored: type, reason: 'unknown_intent' }
  const { payment_status: status = 'paid', client_reference_id: reference } = session
  if (session.id === undefined && !reference) return { ignored: type, reason: 'unknown_intent' }
  if (!paid.includes(status)) return { ignored: type, reason: 'unpaid' }
  const { id: sessionId = '', customer = null, subscription = null } = session
  const eventId = id ?? `${sessionId || reference}.completed`
  return { eventId, type, intentId: idIn(String(reference ?? '')), sessionId, customer, subscription }
}

const idIn = (text: string): number | null =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null

/** Returns the event with which a provider reports the payment of this checkout. Its id is the same each time. */
export const mockEvent = ({ intentId, sessionId }: { intentId: number; sessionId: string }, now: number) => ({
  id: `evt_${sessionId}`,
  object: 'event',
  type: completed,
  created: now,
  livemode: false,
  data: {
    object: {
      id: sessionId,
      object: 'checkout.session',
      mode: 'subscription',
      client_reference_id: String(intentId),
      payment_status: 'paid',
      customer: `cus_mock_${intentId}`,
      subscription: `sub_mock_${intentId}`,
    },
  },
})
