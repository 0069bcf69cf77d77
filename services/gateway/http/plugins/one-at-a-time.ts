/**
 * Processes the requests of one connection one by one, in the order of their answers (RFC 9112, 9.3.2). Node starts all
 * pipelined requests at once, up to three hundred of one packet, and buffers their answers. A client that sends many and
 * reads none would take unbounded memory.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../../app.ts'
import { onResponseEnd } from '../requests/on-response-end.ts'

/** Install it before any hook that does work. */
export function installOneAtATime(app: App): void {
  const last = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const before = last.get(socket)
    last.set(socket, reply.raw)
    if (before === undefined) return done()
    onResponseEnd(before, () => {
      // The further requests of a closed connection are dropped.
      if (!socket.destroyed) done()
    })
  })
}
