/** JSON bodies. Clients that name the type of a body which they then leave out mean none, where none is required. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { ApiProblem } from '../domain/problem.ts'

export function installBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isEncoded(request)) done(encoded)
    else if (body === '' && mayBeLeftOut(request)) done(null, undefined)
    else
      parse(request, body as string, (error, value) => done(error && faultOf(body as string, error), value))
  })
  // Of any other type nothing is read; `curl -d ''` names one.
  app.addContentTypeParser('*', (request, _body, done) => {
    const isEmpty = request.headers['content-length'] === '0'
    if (request.is404 || (isEmpty && mayBeLeftOut(request))) done(null, undefined)
    else done(new ApiProblem('unsupported_media_type'))
  })
}

function mayBeLeftOut({ routeOptions }: FastifyRequest): boolean {
  const schema = routeOptions.schema?.body as { required?: string[] } | undefined
  return !schema?.required?.length
}

/** The parser says the same of what is no JSON, and of JSON with a name in it that it guards against. */
function faultOf(body: string, error: Error): Error {
  try {
    JSON.parse(body)
  } catch {
    return error
  }
  return forbiddenName
}

const forbiddenName = new ApiProblem('invalid_input', {
  reason: 'bad_value',
  message: 'No field may be called __proto__, and none called constructor may have a prototype.',
})

const isEncoded = ({ headers }: FastifyRequest) =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'

const encoded = new ApiProblem('unsupported_media_type', {
  message: 'Bodies are read as they come: leave out Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
})
