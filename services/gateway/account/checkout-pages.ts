/**
 * Serves the pages of a mock checkout, and the pages to which a payment provider redirects people. They are for
 * browsers, need no script, and are not part of the API.
 */
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { ApiProblem, found } from '../http/domain/problem.ts'
import type { Billing } from './adapters/billing.ts'
import { checkoutPage, expiredPage, pagePolicy, paidPage, returnedPage } from './domain/billing-pages.ts'

type Ports = { billing: Pick<Billing, 'mockCheckout' | 'payMock'> }

const params = Type.Object({ session: Type.String({ pattern: '^cs_mock_[A-Za-z0-9_-]{32}$' }) })
const schema = { hide: true } as const
const expiredStatus = 410

/** Adds the pages. Register them in a scope of their own, because the contents of their forms are ignored. */
export function checkoutPageRoutes(scope: App, { billing }: Ports): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume()
    done(null, undefined)
  })

  scope.get(
    '/v1/billing/mock-checkout/:session',
    { schema: { ...schema, params } },
    async ({ params: { session } }, reply) => {
      const checkout = found(await billing.mockCheckout(session))
      if (checkout.status === 'expired') return send(reply.code(expiredStatus), expiredPage())
      return send(
        reply,
        checkout.status === 'paid' ? paidPage(checkout) : checkoutPage(checkout, pathOf(session)),
      )
    },
  )

  scope.post(
    '/v1/billing/mock-checkout/:session/pay',
    { schema: { ...schema, params } },
    async ({ params: { session } }, reply) => {
      if ((await billing.mockCheckout(session)) === null) throw new ApiProblem('not_found')
      await billing.payMock(session)
      // Redirects to the page that shows the result, so that a reload in the browser does not pay again.
      return seeOther(reply, pathOf(session))
    },
  )

  scope.post(
    '/v1/billing/mock-checkout/:session/cancel',
    { schema: { ...schema, params } },
    async ({ params: { session } }, reply) => {
      if ((await billing.mockCheckout(session)) === null) throw new ApiProblem('not_found')
      return seeOther(reply, '/v1/billing/cancelled')
    },
  )

  for (const from of ['paid', 'cancelled'] as const) {
    scope.get(`/v1/billing/${from}`, { schema }, async (_request, reply) => send(reply, returnedPage(from)))
  }
}

const pathOf = (session: string): string => `/v1/billing/mock-checkout/${session}`

const seeOther = (reply: FastifyReply, path: string) =>
  reply.header('cache-control', 'no-store').redirect(path, 303)

const send = (reply: FastifyReply, html: string) =>
  reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': pagePolicy,
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(html)
