/** `POST /v1/actors/extract-article`: the article of one page. */
import { ExtractArticleAnswer, ExtractArticleRequest } from '@tidemark/contracts/http/actor-extract-article'
import type { App } from '../../app.ts'
import type { AnswerActor } from './answer-actor.ts'
import { answered } from './answered.ts'
import type { ActorPorts } from './ports.ts'
import { readBilled } from './read-billed.ts'

const actor = 'extract-article'
const operation = 'extract_article'

export function extractArticleRoute(app: App, ports: ActorPorts, answer: AnswerActor): void {
  app.post(
    '/v1/actors/extract-article',
    {
      schema: {
        operationId: 'extractArticle',
        summary: 'Get the article of one page',
        description:
          'Its text without what stands around it, who wrote it when, and how long it takes to read; on request what its readers wrote below.',
        tags: ['Actors'],
        body: ExtractArticleRequest,
        response: answered(ExtractArticleAnswer),
      },
    },
    (request, reply) => {
      const { body, caller: payer, id: requestId } = request
      const { url, format, include_comments: comments, wpm = null } = body
      const order = { payer, requestId, operation, url } as const
      return answer({ request, reply, actor, url }, at =>
        readBilled(ports, order, { as: 'article', format, comments, wpm }, at),
      )
    },
  )
}
