/** `POST /v1/actors/check-links`: which links of a page, or of a list, lead somewhere. */
import { CheckLinksAnswer, CheckLinksRequest } from '@tidemark/contracts/http/actor-check-links'
import type { App } from '../../app.ts'
import { toldAddress } from '../../domain/address.ts'
import { refusal } from '../../domain/field-rule.ts'
import type { TakeSeat } from '../seats.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import { checkLinks } from './link-check.ts'
import type { ActorPorts } from './ports.ts'

const actor = 'check-links'

export function checkLinksRoute(app: App, ports: ActorPorts, answer: AnswerActor, takeSeat: TakeSeat): void {
  app.post(
    '/v1/actors/check-links',
    {
      onRequest: takeSeat,
      schema: {
        operationId: 'checkLinks',
        summary: 'Find broken links',
        description:
          'Those of one page, or up to 200 that are sent: by HEAD where that says enough, each as its robots.txt allows and in turn at its host. Each link that is asked for is one page, whatever fragments it is linked with.',
        tags: ['Actors'],
        body: CheckLinksRequest,
        response: answered(CheckLinksAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const url = urlOf(body)
      return answer({ request, reply, actor, url }, at => checkLinks(ports, { body, payer, requestId }, at))
    },
  )
}

/** What stands for the request in its answer. Throws `ApiProblem` unless there is exactly one of both. */
function urlOf({ url, urls }: CheckLinksRequest): string {
  if (url !== undefined && urls !== undefined)
    throw refusal('urls', 'conflicting_fields', 'Send url or urls, not both.')
  const first = url ?? urls?.[0]
  if (first === undefined) throw refusal('url', 'required', 'url or urls is required.')
  return toldAddress(first)
}
