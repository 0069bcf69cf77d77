/**
 * The response of an actor: an envelope that is the same for all eight, and the result for a page, a site or a crawl.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { count, described } from '../../primitives.ts'
import { warnings } from '../lists.ts'

export const actors = [
  'extract-article',
  'audit-onpage',
  'audit-site',
  'check-links',
  'structured-data',
  'render-diff',
  'internal-link-graph',
  'sitemap-audit',
] as const
export type Actor = (typeof actors)[number]

/** Returns the schema of an actor's response. Optional fields are set if it read one page. */
export const actorAnswer = <Name extends Actor, Data extends TSchema>(actor: Name, data: Data, $id: string) =>
  Type.Object(
    {
      actor: Type.Literal(actor, { description: 'Name of the actor.' }),
      url: Type.String({ description: 'The requested URL.' }),
      elapsed_ms: Type.Integer({
        minimum: 0,
        description: 'Milliseconds from the request to this response.',
      }),
      data: described(data, 'The result of the actor.'),
      final_url: Type.Optional(Type.String({ description: 'URL of the page, after all redirects.' })),
      status_code: Type.Optional(Type.Integer({ description: 'HTTP status of the page.' })),
      warnings,
    },
    { $id },
  )

/** Progress events for clients that accept `text/event-stream`. `done` and `total` are absent while they are unknown. */
export const ActorProgress = Type.Object({
  stage: Type.String({ description: 'The current stage, in a word or two.' }),
  done: Type.Optional(count('Completed units of this stage.')),
  total: Type.Optional(count('Total units of this stage.')),
})
export type ActorProgress = Static<typeof ActorProgress>

export const ActorStream = Type.String({
  $id: 'ActorStream',
  description:
    'Server-sent events: any number of `progress` ({stage, done, total}), then one `result` with the same content as the JSON response, or one `error` with the error envelope.',
})
