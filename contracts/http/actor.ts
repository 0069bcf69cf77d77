/** What the seven actors have in common: one envelope around what each of them says of a page, a site or a crawl. */
import { type Static, type TSchema, Type } from 'typebox'
import { orNull, said } from '../primitives.ts'
import { warnings } from './lists.ts'

export const actors = [
  'extract-article',
  'audit-onpage',
  'check-links',
  'structured-data',
  'render-diff',
  'internal-link-graph',
  'sitemap-audit',
] as const
export type Actor = (typeof actors)[number]

/** The answer of one actor; what is optional is said where one page was read. */
export const actorAnswer = <Name extends Actor, Data extends TSchema>(actor: Name, data: Data, $id: string) =>
  Type.Object(
    {
      actor: Type.Literal(actor, { description: 'Who answers.' }),
      url: Type.String({ description: 'What was asked for.' }),
      elapsed_ms: Type.Integer({ minimum: 0, description: 'Milliseconds from the request to this answer.' }),
      data: said(data, 'What the actor has found.'),
      final_url: Type.Optional(
        Type.String({ description: 'Where the page was found, behind all redirects.' }),
      ),
      status_code: Type.Optional(Type.Integer({ description: 'HTTP status of the page.' })),
      warnings,
    },
    { $id },
  )

/** What a client that accepts `text/event-stream` hears while an actor works. */
export const ActorProgress = Type.Object({
  stage: Type.String({ description: 'What is done now, in a word or two.' }),
  done: Type.Optional(Type.Integer({ minimum: 0, description: 'Of what this stage has to do.' })),
  total: Type.Optional(
    orNull(Type.Integer({ minimum: 0, description: 'All that it has to do; null while nobody knows.' })),
  ),
})
export type ActorProgress = Static<typeof ActorProgress>

export const ActorStream = Type.String({
  $id: 'ActorStream',
  description:
    'Server-sent events: any number of `progress` ({stage, done, total}), then one `result` with the answer that JSON would have been, or one `error` with the error envelope.',
})
