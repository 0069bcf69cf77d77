/**
 * Answers to reads can be kept by clients and must be asked for again each time: then an answer that has not changed
 * is 304 and a few headers. Streams have no tag, for their end is not known; what says `no-store` is not kept at all.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { etagOf, isNamed } from '../domain/etag.ts'

/** Characters of a body beyond which none is hashed: it would hold up everybody else. */
const maxHashed = 512 * 1024

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
    // Of HEAD the body is left out later, when its length has been told, as 304 may.
    done(null, request.method === 'HEAD' ? payload : null)
  })
}

const keptBy = ({ caller }: FastifyRequest) => (caller === undefined ? 'no-cache' : 'private, no-cache')

function isTagged(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (reply.statusCode !== 200 || String(reply.getHeader('cache-control')).includes('no-store')) return false
  return (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length <= maxHashed
}
