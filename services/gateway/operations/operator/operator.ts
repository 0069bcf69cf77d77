/**
 * The operator's routes. They accept the operator's key only, and exist only if the installation has one. They are
 * hidden from the API's description, because no client of a project can call them.
 */

import { isApiKeyShaped } from '@tidemark/contracts/api-key'
import { OperatorOverview } from '@tidemark/contracts/http/operator'
import type { FastifyRequest } from 'fastify'
import type { CheckKey } from '../../access/authentication.ts'
import { bearerOf } from '../../access/domain/key.ts'
import type { OperatorKey } from '../../access/operator-key.ts'
import type { App } from '../../app.ts'
import { ApiProblem } from '../../http/domain/problem.ts'

type OperatorPorts = {
  operator: OperatorKey
  checkKey: CheckKey
  readOverview: () => Promise<OperatorOverview>
}

export async function operatorRoutes(
  app: App,
  { operator, checkKey, readOverview }: OperatorPorts,
): Promise<void> {
  await app.register(async scope => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      await authorize(request, operator, checkKey)
    })
    scope.get(
      '/v1/operator/overview',
      { schema: { hide: true, response: { 200: OperatorOverview } } },
      readOverview,
    )
  })
}

/** Throws `ApiProblem`: 401 without the operator's key, 403 for the key of a project. */
async function authorize(
  { headers, clientIp }: FastifyRequest,
  operator: OperatorKey,
  checkKey: CheckKey,
): Promise<void> {
  const key = bearerOf(headers.authorization)
  if (key !== null && isApiKeyShaped(key) && (await checkKey(key, clientIp)) !== null)
    throw new ApiProblem('unauthorized', {
      status: 403,
      message:
        'This is the key of a project, which cannot read the state of the installation. Send the key of the operator (ADMIN_KEY).',
    })
  if (key === null || isApiKeyShaped(key) || !(await operator.check(key, clientIp)))
    throw new ApiProblem('unauthorized', {
      message: 'Send the key of the operator (ADMIN_KEY) as "Authorization: Bearer <key>".',
    })
}
