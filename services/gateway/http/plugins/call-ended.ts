/** Tells of each call when it is over, once: also of one whose client left, of which Fastify tells nothing. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { onceOver } from './once-over.ts'

/** What proxies write of a call to which no answer was begun before its client left. No status of HTTP. */
export const clientLeft = 499

type Tell = (request: FastifyRequest, reply: FastifyReply, status: number) => void

/** @param tell is told the status that was answered, be the answer whole or not; else `clientLeft` */
export function whenCallEnds(app: App, tell: Tell): void {
  const told = new WeakSet<FastifyRequest>()
  const end: Tell = (request, reply, status) => {
    if (told.has(request)) return
    told.add(request)
    tell(request, reply, status)
  }
  // Of a connection that ends early nobody else tells: there will be no response.
  app.addHook('onRequest', async (request, reply) => {
    onceOver(reply.raw, () => end(request, reply, reply.raw.headersSent ? reply.statusCode : clientLeft))
  })
  app.addHook('onResponse', async (request, reply) => end(request, reply, reply.statusCode))
}
