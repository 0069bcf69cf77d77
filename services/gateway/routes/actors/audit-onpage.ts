/** `POST /v1/actors/audit-onpage`: what is wrong with one page. */
import { AuditOnpageAnswer, AuditOnpageRequest } from '@tidemark/contracts/http/actor-audit-onpage'
import type { App } from '../../app.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import type { ActorPorts } from './ports.ts'
import { readBilled } from './read-billed.ts'

const actor = 'audit-onpage'
const operation = 'audit_onpage'

export function auditOnpageRoute(app: App, ports: ActorPorts, answer: AnswerActor): void {
  app.post(
    '/v1/actors/audit-onpage',
    {
      schema: {
        operationId: 'auditOnpage',
        summary: 'Audit one page',
        description:
          'What search engines, people and answer engines would stumble over: the page, its answer and its site, by rules that name their source.',
        tags: ['Actors'],
        body: AuditOnpageRequest,
        response: answered(AuditOnpageAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const order = { payer, requestId, operation, url: body.url } as const
      return answer({ request, reply, actor, url: body.url }, at =>
        readBilled(ports, order, { as: 'audit' }, at),
      )
    },
  )
}
