/** `POST /v1/actors/structured-data`: all that a page says in structured form. */
import { StructuredDataAnswer, StructuredDataRequest } from '@tidemark/contracts/http/actor-structured-data'
import type { App } from '../../app.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import type { ActorPorts } from './ports.ts'
import { readBilled } from './read-billed.ts'

const actor = 'structured-data'
const operation = 'structured_data'

export function structuredDataRoute(app: App, ports: ActorPorts, answer: AnswerActor): void {
  app.post(
    '/v1/actors/structured-data',
    {
      schema: {
        operationId: 'extractStructuredData',
        summary: 'Get the structured data of one page',
        description:
          'JSON-LD, microdata, RDFa, Open Graph, Dublin Core and microformats, and what of it is broken.',
        tags: ['Actors'],
        body: StructuredDataRequest,
        response: answered(StructuredDataAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const order = { payer, requestId, operation, url: body.url } as const
      return answer({ request, reply, actor, url: body.url }, at =>
        readBilled(ports, order, { as: 'structured' }, at),
      )
    },
  )
}
