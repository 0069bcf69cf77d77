/** Builds the endpoint of each actor, `POST /v1/actors/<name>`, from its row of the table. */
import { type Actor, ActorStream } from '@tidemark/contracts/http/actors/actor'
import type { Static, TSchema } from 'typebox'
import type { App } from '../app.ts'
import { onResponseEnd } from '../http/requests/on-response-end.ts'
import { slotHook } from '../http/responses/slot-hook.ts'
import type { Payer } from '../metering/adapters/metering.ts'
import { type ActorOutcome, type ActorWork, answersOfActors } from './answer-actor.ts'

export type ActorOrder<Body> = {
  body: Body
  /** The fields that the client sent, without defaults. */
  sentFields: ReadonlySet<string>
  payer: Payer
  requestId: string
  /** The Accept header, for actors with other formats than JSON. */
  accept: string | undefined
  /** Calls back once, when the answer is sent or its client has left. */
  whenAnswered: (callback: () => void) => void
}

export type ActorRow<Body extends TSchema = TSchema> = {
  name: Actor
  operationId: string
  summary: string
  description: string
  body: Body
  answer: TSchema
  /** Whether the request takes one of the few concurrency slots that a project has for long work. */
  takesLong?: true
  /** Descriptions of the lines, if the actor also answers with NDJSON and CSV. */
  lines?: TSchema
  /** Returns the subject of the request for the answer. Throws `ApiProblem` for a body without one. */
  subjectOf(body: Static<Body>): string
  work(order: ActorOrder<Static<Body>>, at: ActorWork): Promise<ActorOutcome>
}

/** Checks a row against the schema of its own body. */
export const actor = <Body extends TSchema>(row: ActorRow<Body>): ActorRow => row

export function actorRoutes(
  app: App,
  ports: Parameters<typeof answersOfActors>[1],
  actors: readonly ActorRow[],
): void {
  const answer = answersOfActors(app, ports)
  const acquireSlot = slotHook('actor_requests', 'link checks, link graphs, and audits of sites and sitemaps')
  for (const { name, operationId, summary, description, takesLong, subjectOf, work, ...schemas } of actors) {
    const { body, answer: answered, lines } = schemas
    const schema = {
      operationId,
      summary,
      description,
      tags: ['Actors'],
      body,
      response: inAllForms(answered, lines),
    }
    app.post(
      `/v1/actors/${name}`,
      { schema, ...(takesLong && { onRequest: acquireSlot }) },
      (request, reply) => {
        const { body, sentFields, caller: payer, id: requestId, headers } = request
        const whenAnswered = (callback: () => void) => onResponseEnd(reply.raw, callback)
        return answer({ request, reply, actor: name, url: subjectOf(body) }, at =>
          work({ body, sentFields, payer, requestId, accept: headers.accept, whenAnswered }, at),
        )
      },
    )
  }
}

/** @param schema of the answer; the JSON is written by hand, so the serializer of the schema is not used */
const inAllForms = (schema: TSchema, lines: TSchema | undefined) => ({
  200: {
    'x-response-description': 'The response. With server-sent events: the progress, and then the response.',
    content: {
      'application/json': { schema },
      'text/event-stream': { schema: ActorStream },
      ...(lines && { 'application/x-ndjson': { schema: lines }, 'text/csv': { schema: lines } }),
    },
  },
})
