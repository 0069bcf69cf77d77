/** `request.warnings`: what of a body was ignored, for the answer to say so. */
import type { App } from '../app.ts'
import type { ObjectSchema } from '../domain/input.ts'
import { unknownFieldWarnings } from '../domain/unknown-fields.ts'

declare module 'fastify' {
  interface FastifyRequest {
    warnings: string[]
  }
}

const none: string[] = []

export function installWarnings(app: App): void {
  app.decorateRequest('warnings', { getter: () => none })
  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body as ObjectSchema | undefined
    if (schema)
      Object.defineProperty(request, 'warnings', { value: unknownFieldWarnings(schema, request.body) })
    done()
  })
}
