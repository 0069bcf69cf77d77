/** Routes for checkouts, events of the payment provider, and the billing state of a project. */
import {
  BillingView,
  CheckoutQuery,
  CheckoutView,
  PaymentEvent,
  PaymentTaken,
} from '@tidemark/contracts/http/billing'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../http/domain/problem.ts'
import type { Billing } from './adapters/billing.ts'

export type BillingPorts = {
  billing: Billing
  /** The header in which the payment provider signs. */
  signatureHeader: string
}

const tags = ['Billing']
const neutralHeader = 'payment-signature'
/** Maximum size of an event in bytes. Events of checkouts have a few KB. */
const maxEventBytes = 64 * 1024

/** Adds the routes for clients without a key. */
export function checkoutRoutes(app: App, { billing }: Pick<BillingPorts, 'billing'>): void {
  app.get(
    '/v1/billing/checkout',
    {
      schema: {
        operationId: 'getCheckout',
        summary: 'Find the checkout of a signup',
        description:
          'Returns the checkout page of an intent that can still be paid. An expired intent is 409 `intent_expired`: sign up again.',
        tags,
        querystring: CheckoutQuery,
        response: { 200: CheckoutView },
      },
    },
    async ({ query }, reply) => {
      reply.header('cache-control', 'no-store')
      return billing.checkout(query.intent_id)
    },
  )
}

/**
 * Adds the route for the payment provider. Register it in a scope of its own, because its parser keeps the bytes of the
 * body, which the signature covers.
 */
export function paymentWebhookRoute(scope: App, { billing, signatureHeader }: BillingPorts): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const headers = [...new Set([signatureHeader.toLowerCase(), neutralHeader])]
  scope.post(
    '/v1/billing/webhook',
    {
      schema: {
        operationId: 'takePaymentEvent',
        summary: 'Receive payment webhooks',
        description:
          'The provider signs the request in `Stripe-Signature` or `Payment-Signature`. A paid checkout creates the project and its key exactly once, however often the event arrives. Other events are ignored.',
        tags,
        body: PaymentEvent,
        response: { 200: PaymentTaken },
      },
      bodyLimit: maxEventBytes,
      // Runs before the body is read, so that a request without a signature need not send its body.
      onRequest: async request => {
        if (signaturesOf(request, headers).length === 0) throw new ApiProblem('invalid_signature')
      },
      // auth-billing validates the body, after the signature.
      validatorCompiler: () => value => ({ value }),
    },
    async request => billing.takePayment(bytesOf(request.body), signaturesOf(request, headers)),
  )
}

/** Adds the routes for a project. */
export function billingRoutes(app: App, { billing }: Pick<BillingPorts, 'billing'>): void {
  app.get(
    '/v1/billing/status',
    {
      schema: {
        operationId: 'getBilling',
        summary: 'Read the billing state',
        description: 'The tier of the project, and its customer if it is paid.',
        tags,
        response: { 200: BillingView },
      },
    },
    async ({ caller }) => billing.status(caller.projectId),
  )
}

const bytesOf = (body: unknown): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array())

const signaturesOf = (request: FastifyRequest, names: string[]): string[] =>
  names.flatMap(name => request.headers[name] || [])
