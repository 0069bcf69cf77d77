/**
 * Parses JSON bodies, in UTF-8 only: decoding other bytes would change the text. A client may name the type of a body and
 * send none, if the route requires none.
 */
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { ApiProblem } from '../domain/problem.ts'

export function installBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isEncoded(request)) return done(encoded)
    if (body.length === 0 && mayBeLeftOut(request)) return done(null, undefined)
    if (!utf8.test(charsetOf(request))) return done(otherCharset)
    if (!isUtf8(body)) return done(notUtf8)
    const text = body.toString()
    parse(request, text, (error, value) => done(error && faultOf(text, error), value))
  })
  // Bodies of other types are not read; `curl -d ''` names such a type.
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

/** Distinguishes invalid JSON from JSON with a forbidden name: the parser has the same error for both. */
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

/** Names of UTF-8, and of ASCII, which is a subset. */
const utf8 = /^(?:utf-?8|(?:us-)?ascii)$/i

/** Returns the declared charset, or the default of JSON. */
const charsetOf = ({ headers }: FastifyRequest): string =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'

const otherCharset = new ApiProblem('unsupported_media_type', {
  message: 'JSON must be UTF-8. Send it in UTF-8 without charset.',
})

const notUtf8 = new ApiProblem('invalid_input', {
  reason: 'bad_json',
  message: 'The body is not valid UTF-8.',
})

const isEncoded = ({ headers }: FastifyRequest) =>
  (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'

const encoded = new ApiProblem('unsupported_media_type', {
  message: 'Compressed bodies are not supported. Send the body without Content-Encoding.',
  headers: { 'accept-encoding': 'identity' },
})
