/** `POST /v1/actors/render-diff`: what of a page only its scripts make. */
import { RenderDiffAnswer, RenderDiffRequest } from '@tidemark/contracts/http/actor-render-diff'
import type { App } from '../../app.ts'
import { meansMs } from '../read-one.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import type { ActorPorts } from './ports.ts'
import { billedPage } from './read-billed.ts'

const actor = 'render-diff'
const operation = 'render_diff'
const stage = 'reading and rendering the page'

export function renderDiffRoute(app: App, ports: ActorPorts, answer: AnswerActor): void {
  app.post(
    '/v1/actors/render-diff',
    {
      schema: {
        operationId: 'diffRendered',
        summary: 'Compare one page with what its scripts make of it',
        description:
          'The page as its server sends it beside the page as a browser shows it, and how much of the latter bots that run no scripts never see. That may take a minute: wait at least 90 seconds. One page.',
        tags: ['Actors'],
        body: RenderDiffRequest,
        response: answered(RenderDiffAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const order = { payer, requestId, operation, url: body.url, stage } as const
      return answer({ request, reply, actor, url: body.url }, at =>
        billedPage(ports, order, at, page => ports.actors.renderDiff({ ...page, timeoutMs: meansMs })),
      )
    },
  )
}
