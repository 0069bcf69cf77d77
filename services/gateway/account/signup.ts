/** The route that creates a project for a new client. It needs no key, and its response is not cached. */
import { SignedUp, Signup } from '@tidemark/contracts/http/signup'
import type { App } from '../app.ts'
import { unprocessable } from '../http/responses/unprocessable.ts'
import type { Billing } from './adapters/billing.ts'

export type SignupPorts = { billing: Pick<Billing, 'signUp'> }

/** Adds the route. Call it within a scope of its own. */
export function signupRoutes(app: App, { billing }: SignupPorts): void {
  app.post(
    '/v1/signup',
    {
      schema: {
        operationId: 'signUp',
        summary: 'Sign up',
        description:
          'Creates a free project at once and returns its key, which is also sent by mail. For other tiers, reserves the name and sends the key by mail when the checkout is paid.',
        tags: ['Billing'],
        body: Signup,
        response: { 200: SignedUp },
      },
      errorHandler: unprocessable,
    },
    async ({ body, clientIp }, reply) => {
      reply.header('cache-control', 'no-store')
      const { project_name: projectName, email, tier = 'free', turnstile_token: token = null } = body
      return billing.signUp({ projectName, email, tier, token, clientIp })
    },
  )
}
