/** How a stranger comes to a project: no key is needed, and the answer is kept by nobody. */
import { SignedUp, Signup } from '@tidemark/contracts/http/signup'
import type { Billing } from '../adapters/billing.ts'
import type { App } from '../app.ts'
import { installWarnings } from '../plugins/warnings.ts'
import { withWarnings } from './answers.ts'
import { unprocessable } from './unprocessable.ts'

export type SignupPorts = { billing: Pick<Billing, 'signUp'> }

/** To be called within a scope of its own. */
export function signupRoutes(app: App, { billing }: SignupPorts): void {
  installWarnings(app)
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
    async ({ body, ip, warnings }, reply) => {
      reply.header('cache-control', 'no-store')
      const { project_name: projectName, email, tier = 'free', turnstile_token: token = null } = body
      const signedUp = await billing.signUp({ projectName, email, tier, token, clientIp: ip })
      return withWarnings(signedUp, warnings)
    },
  )
}
