/** `POST /v1/actors/internal-link-graph`: what the links between the pages of a crawl make of them. */
import { LinkGraphAnswer, LinkGraphRequest } from '@tidemark/contracts/http/actor-internal-link-graph'
import type { App } from '../../app.ts'
import type { TakeSeat } from '../seats.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import type { ActorPorts } from './ports.ts'
import { rankRun } from './rank-run.ts'

const actor = 'internal-link-graph'

export function internalLinkGraphRoute(
  app: App,
  ports: ActorPorts,
  answer: AnswerActor,
  takeSeat: TakeSeat,
): void {
  app.post(
    '/v1/actors/internal-link-graph',
    {
      onRequest: takeSeat,
      schema: {
        operationId: 'analyseLinkGraph',
        summary: 'Rank the pages of a crawl by its links',
        description:
          'PageRank, who links to most pages and to whom most link, by which texts, and which pages cannot be reached from the start. From the stored links of up to 100,000 pages; the crawl is one page on the bill. A crawl with `store_html: false` has none: the lists are empty and nothing is billed.',
        tags: ['Actors'],
        body: LinkGraphRequest,
        response: answered(LinkGraphAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const what = `crawl:${body.crawl_id}`
      return answer({ request, reply, actor, url: what }, at =>
        rankRun(ports, { body, payer, requestId, what }, at),
      )
    },
  )
}
