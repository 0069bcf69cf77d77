/** What every route's schema says beside its own words: how errors look, and its unions in plain form. */
import { Problem } from '@tidemark/contracts/http/problem'
import type { FastifySchema } from 'fastify'
import type { App } from '../app.ts'
import { plain, plainInput } from '../domain/plain-schema.ts'

const described = (description: string) => ({ ...Problem, 'x-response-description': description })

const errors = {
  '4xx': described('What is wrong with the request.'),
  '5xx': described('What is wrong on our side.'),
}

/** To be called before any route is added. */
export function installSchemas(app: App): void {
  app.addHook('onRoute', route => {
    const { response, body, querystring, ...schema } = route.schema ?? {}
    route.schema = {
      ...schema,
      ...(body !== undefined && { body: plainInput(body) }),
      ...(querystring !== undefined && { querystring: plainInput(querystring) }),
      ...(response !== undefined && { response: plain({ ...errors, ...response }) }),
    } as FastifySchema
  })
}
