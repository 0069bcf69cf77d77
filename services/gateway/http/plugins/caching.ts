/**
 * Lets clients cache reads, but requires them to revalidate each time: an unchanged answer is a 304 with a few headers.
 * Streams have no tag, because their end is unknown. Answers with `no-store` are not cached.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { etagOf, isNamed } from '../domain/etag.ts'

/** Maximum number of characters to hash: hashing longer bodies would delay other requests. */
const maxHashed = 1024 ** 2

const reads = new Set(['GET', 'HEAD'])

export function installCaching(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reads.has(request.method)) return done(null, payload)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', keptBy(request))
    if (!isTagged(reply, payload)) return done(null, payload)
    const etag = etagOf(payload)
    reply.header('etag', etag)
    if (!isNamed(request.headers['if-none-match'], etag)) return done(null, payload)
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    // The body of HEAD is removed later, because its length is computed from it, and a 304 may state the length.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}

const keptBy = ({ caller }: FastifyRequest) => (caller === undefined ? 'no-cache' : 'private, no-cache')

function isTagged(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (reply.statusCode !== 200 || String(reply.getHeader('cache-control')).includes('no-store')) return false
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length <= maxHashed
}
