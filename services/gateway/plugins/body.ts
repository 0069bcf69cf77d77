/** JSON bodies. Clients that name the type of a body which they then leave out mean none, where none is required. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'

export function installBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const schema = request.routeOptions.schema?.body as { required?: string[] } | undefined
    const mayBeLeftOut = !schema?.required?.length
    if (isEncoded(request)) done(encoded)
    else if (body === '' && mayBeLeftOut) done(null, undefined)
    else parse(request, body as string, done)
  })
}

const isEncoded = ({ headers }: FastifyRequest) =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'

const encoded = new ApiProblem('unsupported_media_type', {
  message: 'Bodies are read as they come: leave out Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
})
