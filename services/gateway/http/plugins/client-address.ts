/** Where a call comes from, known for as long as it lasts: of a connection that has ended nobody can tell any more. */
import type { App } from '../../app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** As `ip` was when the request came; empty where the connection was gone by then. */
    clientIp: string
  }
}

/** To be installed before whatever waits. */
export function installClientAddress(app: App): void {
  app.decorateRequest('clientIp', '')
  app.addHook('onRequest', (request, _reply, done) => {
    // Contrary to its type it is missing where the connection is gone.
    const ip: string | undefined = request.ip
    request.clientIp = ip ?? ''
    done()
  })
}
