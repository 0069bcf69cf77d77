/** What an event of the payment provider means here: a paid checkout of an intent, or nothing. */
import type { CompletedCheckout, PaymentEvent } from '@tidemark/contracts/http/billing'

export type Payment = {
  eventId: string
  type: string
  intentId: number
  sessionId: string
  customer: string | null
  subscription: string | null
}
/** Understood, and without effect. Its sender is told so with 200: sending it again would change nothing. */
export type Ignored = { ignored: string; reason?: IgnoredReason }
export type IgnoredReason = 'unpaid' | 'unknown_intent' | 'other_session'

const completed = 'checkout.session.completed'
const paid = ['paid', 'no_payment_required']

/**
 * Every type but one is ignored (specification, Signup and billing); and of that one what is not paid yet, and what is
 * no intent of ours: an account at the provider may have other uses.
 * @param isCheckout whether something is a `CompletedCheckout`
 */
export function paymentOf(
  { id: eventId, type, data }: PaymentEvent,
  isCheckout: (session: unknown) => session is CompletedCheckout,
): Payment | Ignored {
  if (type !== completed) return { ignored: type }
  const session: unknown = data.object
  if (!isCheckout(session) || !isId(session.client_reference_id))
    return { ignored: type, reason: 'unknown_intent' }
  if (!paid.includes(session.payment_status)) return { ignored: type, reason: 'unpaid' }
  const { id: sessionId, client_reference_id, customer = null, subscription = null } = session
  return { eventId, type, intentId: Number(client_reference_id), sessionId, customer, subscription }
}

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))

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
