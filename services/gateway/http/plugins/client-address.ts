/** Stores the client's address for the duration of a call, because a closed connection no longer has one. */
import type { App } from '../../app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The value of `ip` at the start of the request; empty if the connection was closed by then. */
    clientIp: string
  }
}

/** Install it before any hook that waits. */
export function installClientAddress(app: App): void {
  app.decorateRequest('clientIp', '')
  app.addHook('onRequest', (request, _reply, done) => {
    // Contrary to its type, `ip` is missing if the connection is closed.
    const ip: string | undefined = request.ip
    request.clientIp = ip ?? ''
    done()
  })
}
