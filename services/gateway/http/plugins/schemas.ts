/** Rewrites the schemas of every route to plain form before they are compiled. */
import type { FastifySchema } from 'fastify'
import type { App } from '../../app.ts'
import { plain, plainInput } from '../domain/plain-schema.ts'

/** Call it before any route is added. */
export function installSchemas(app: App): void {
  app.addHook('onRoute', route => {
    const { response, body, querystring, ...schema } = route.schema ?? {}
    route.schema = {
      ...schema,
      ...(body !== undefined && { body: plainInput(body) }),
      ...(querystring !== undefined && { querystring: plainInput(querystring) }),
      ...(response !== undefined && { response: plain(response) }),
    } as FastifySchema
  })
}
