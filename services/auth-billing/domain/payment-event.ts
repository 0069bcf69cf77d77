/** What an event of the payment provider means here: a paid checkout of an intent, or nothing. */
import type { CompletedCheckout, PaymentEvent } from '@tidemark/contracts/http/billing'

export type Payment = {
  eventId: string
  type: string
  /** Null where it names none that could be ours. */
  intentId: number | null
  sessionId: string
  customer: string | null
  subscription: string | null
}
/** Understood, and without effect. Its sender is told so with 200: sending it again would change nothing. */
export type Ignored = { ignored: string; reason?: IgnoredReason }
export type IgnoredReason = 'unpaid' | UnfulfilledReason
/** Why somebody has paid and gets nothing for it: there is no such intent, or another session is to be paid for it. */
export type UnfulfilledReason = 'unknown_intent' | 'other_session'

const completed = 'checkout.session.completed'
const paid = ['paid', 'no_payment_required']

/**
 * Every type but one is ignored (specification, Signup and billing); and of that one what is no session, or not paid
 * yet. What was paid for no intent of ours is a payment all the same: whoever keeps them must be able to find it.
 * @param isCheckout whether something is a `CompletedCheckout`
 */
export function paymentOf(
  { id: eventId, type, data }: PaymentEvent,
  isCheckout: (session: unknown) => session is CompletedCheckout,
): Payment | Ignored {
  if (type !== completed) return { ignored: type }
  const session: unknown = data.object
  if (!isCheckout(session)) return { ignored: type, reason: 'unknown_intent' }
  if (!paid.includes(session.payment_status)) return { ignored: type, reason: 'unpaid' }
  const { id: sessionId, client_reference_id, customer = null, subscription = null } = session
  return { eventId, type, intentId: idIn(client_reference_id ?? ''), sessionId, customer, subscription }
}

const idIn = (text: string): number | null =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null

/** The event with which a provider tells that this checkout was paid; the same one however often it is made. */
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
