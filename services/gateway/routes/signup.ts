/** How a stranger comes to a project: no key is needed, and the answer is kept by nobody. */
import { SignedUp, Signup } from '@tidemark/contracts/http/signup'
import type { Billing } from '../adapters/billing.ts'
import type { App } from '../app.ts'
import { unprocessable } from './unprocessable.ts'

export type SignupPorts = { billing: Pick<Billing, 'signUp'> }

export function signupRoutes(app: App, { billing }: SignupPorts): void {
  app.post(
    '/v1/signup',
    {
      schema: {
        operationId: 'signUp',
        summary: 'Sign up',
        description:
          'A free project is made at once, with its key, which is also mailed. For any other tier the name is held, and the key is mailed when the checkout is paid.',
        tags: ['Billing'],
        body: Signup,
        response: { 200: SignedUp },
      },
      errorHandler: unprocessable,
    },
    async ({ body, ip }, reply) => {
      reply.header('cache-control', 'no-store')
      const { project_name: projectName, email, tier = 'free', turnstile_token: token = null } = body
      return billing.signUp({ projectName, email, tier, token, clientIp: ip })
    },
  )
}
