/** Reports the end of each call once, even if its client left early, which Fastify does not report. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { clientLeftStatus } from '../domain/problem.ts'
import { onResponseEnd } from '../requests/on-response-end.ts'

type OnEnd = (request: FastifyRequest, reply: FastifyReply, status: number) => void

/** @param onEnd receives the status, even of an answer that was cut off. If no answer began: `clientLeftStatus`. */
export function whenCallEnds(app: App, onEnd: OnEnd): void {
  const ended = new WeakSet<FastifyRequest>()
  const end: OnEnd = (request, reply, status) => {
    if (ended.has(request)) return
    ended.add(request)
    onEnd(request, reply, status)
  }
  // A connection that ends early has no response, so `onResponse` does not run.
  app.addHook('onRequest', async (request, reply) => {
    onResponseEnd(reply.raw, () =>
      end(request, reply, reply.raw.headersSent ? reply.statusCode : clientLeftStatus),
    )
  })
  app.addHook('onResponse', async (request, reply) => end(request, reply, reply.statusCode))
}
