/** API reference of signup and payment. */
import type { Operations } from '../reference/operation.ts'

export const billing: Operations = {
  signUp: {
    body: { project_name: 'acme', email: 'ada@example.com', tier: 'free' },
    answer: {
      description: 'The project with its key, or the address of its checkout.',
      examples: {
        free: {
          status: 'created',
          project_id: 7,
          project_name: 'acme',
          tier: 'free',
          api_key: 'tmk_Zb3kQ9xVLm2Yp7RtW4sJd8NfHg6CvBq1XzKe0uAo5iTyS0aB1c',
          prefix: 'tmk_Zb3kQ9xV',
          label: 'signup',
          email: 'ada@example.com',
          email_sent: true,
          intent_id: null,
          checkout_url: null,
        },
        paid: {
          status: 'checkout_required',
          project_name: 'acme',
          tier: 'pro',
          intent_id: 12,
          checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3',
          mock: false,
          api_key: null,
        },
      },
    },
    refuses: {
      invalid_input: ['required', 'bad_value'],
      name_taken: [],
      challenge_failed: [],
      signup_rate_limited: [
        'attempts_of_address',
        'attempts_of_network',
        'signups_of_day',
        'checkouts_of_day',
      ],
      not_configured: [],
      unavailable: [],
    },
    statuses: { invalid_input: 422 },
  },
  getCheckout: {
    answer: {
      description: 'The address of the checkout page.',
      example: {
        checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3',
        mock: false,
        intent_id: 12,
        tier: 'pro',
      },
    },
    refuses: {
      not_found: [],
      conflict: ['intent_fulfilled', 'intent_expired', 'intent_failed'],
      not_configured: [],
      unavailable: [],
    },
  },
  takePaymentEvent: {
    body: {
      id: 'evt_1',
      type: 'checkout.session.completed',
      data: { object: { id: 'cs_live_a1B2c3', client_reference_id: '12', payment_status: 'paid' } },
    },
    answer: {
      description: 'The event was received.',
      examples: {
        paid: { received: true, intent_id: 12 },
        ignored: { ignored: 'invoice.paid' },
      },
    },
    refuses: { invalid_signature: [], unavailable: [] },
  },
  getBilling: {
    answer: {
      description: 'The billing state as this service knows it.',
      headers: ['ETag'],
      example: {
        tier: 'pro',
        payment_customer_id: 'cus_a1B2c3',
        payment_subscription_id: 'sub_a1B2c3',
        subscription_status: 'active',
        email: 'ada@example.com',
        billing_mode: 'live',
      },
    },
  },
}
