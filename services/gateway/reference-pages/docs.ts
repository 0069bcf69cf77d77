/**
 * Routes for the API reference in browsers (`/docs`), and the redirect from the root to the console. They are public
 * and not part of the API.
 */
import { readFile } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { rangesOf, weightFor } from '../http/domain/accept.ts'
import { vary } from '../http/requests/vary.ts'
import { openReferenceScript, type Script } from './adapters/reference-script.ts'
import { pagePolicy, referencePage } from './domain/openapi/reference-page.ts'

const links = {
  service: 'Tidemark',
  docs: '/docs',
  openapi: '/openapi.json',
  postman: '/postman.json',
  llms: '/llms.txt',
  health: '/v1/health',
}
/** Generated from the OpenAPI document by `npm run docs`. */
const collection = new URL('../reference/postman.json', import.meta.url)
const hidden = { schema: { hide: true } }
const querystring = Type.Object({ v: Type.Optional(Type.String()) })
const year = 'public, max-age=31536000, immutable'

export function docsRoutes(app: App): void {
  const readScript = openReferenceScript()
  app.get('/', hidden, async (request, reply) => {
    vary(reply, 'Accept')
    const readsPages = weightFor(rangesOf(request.headers.accept), ['text/html']) > 0
    return readsPages ? reply.redirect('/console', 302) : links
  })

  app.get('/postman.json', hidden, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await readFile(collection)),
  )

  app.get('/docs', hidden, async (_request, reply) => {
    const { version } = await readScript()
    return reply
      .headers({
        'content-security-policy': pagePolicy,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(referencePage(`/docs/reference.js?v=${version}`))
  })

  app.get('/docs/reference.js', { schema: { ...hidden.schema, querystring } }, async (request, reply) => {
    const script = await readScript()
    const isThis = request.query.v === script.version
    reply.header('cache-control', isThis ? year : 'no-cache').type('text/javascript; charset=utf-8')
    return sendPacked(request, vary(reply, 'Accept-Encoding'), script)
  })
}

function sendPacked({ headers }: FastifyRequest, reply: FastifyReply, { packed }: Script) {
  const accepted = rangesOf(String(headers['accept-encoding'] ?? ''))
  if (weightFor(accepted, ['gzip', '*']) > 0) return reply.header('content-encoding', 'gzip').send(packed)
  const unpacking = createGunzip()
  unpacking.end(packed)
  return reply.send(unpacking)
}
