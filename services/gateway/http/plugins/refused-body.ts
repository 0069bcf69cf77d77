/**
 * Lets a client read why its body is refused while it still sends it. Fastify closes the connection. A connection that is
 * closed with unread bytes is reset, so the client often sees a broken connection instead of the response. On an open
 * connection Node discards the rest of the body.
 */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'

/** Statuses of bodies that are refused before they are read. */
const refusals: ReadonlySet<number> = new Set([413, 415])
/** Maximum size of a body whose rest is discarded. */
const maxDiscardedBytes = 64 * 1024 ** 2

/** Install it before any hook that closes connections. */
export function installRefusedBodies(app: App): void {
  app.addHook('onSend', async (request, reply) => {
    if (refusals.has(reply.statusCode) && declaredBytes(request) <= maxDiscardedBytes)
      reply.removeHeader('connection')
  })
}

/** Returns the declared size of the body. A body in chunks has none, so its end is unknown. */
const declaredBytes = ({ headers }: FastifyRequest): number => Number(headers['content-length'] ?? Infinity)
