/**
 * `request.warnings`: what of a body nobody reads, for the answer to say so; and `request.given`: the fields that
 * were sent, before those with a default are filled in.
 */
import type { App } from '../app.ts'
import { isObject, type ObjectSchema } from '../domain/input.ts'
import { unknownFieldWarnings } from '../domain/unknown-fields.ts'

declare module 'fastify' {
  interface FastifyRequest {
    warnings: string[]
    given: ReadonlySet<string>
  }
}

const none: string[] = []
const nothing: ReadonlySet<string> = new Set()

export function installWarnings(app: App): void {
  app.decorateRequest('warnings', { getter: () => none })
  app.decorateRequest('given', { getter: () => nothing })
  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema?.body as ObjectSchema | undefined
    if (schema) {
      const { body } = request
      Object.defineProperty(request, 'warnings', { value: unknownFieldWarnings(schema, body) })
      Object.defineProperty(request, 'given', { value: new Set(isObject(body) ? Object.keys(body) : []) })
    }
    done()
  })
}
