/**
 * The requests of one connection are worked on one after the other, as they are answered (RFC 9112, 9.3.2). Node begins
 * all that have arrived at once, three hundred in one packet, and keeps their answers until it is their turn: with a
 * client that sends many and reads none that is memory without end.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../../app.ts'
import { onceOver } from './once-over.ts'

/** To be installed before whatever does any work. */
export function installOneAtATime(app: App): void {
  const last = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const before = last.get(socket)
    last.set(socket, reply.raw)
    if (before === undefined) return done()
    onceOver(before, () => {
      // Of a connection that is gone nobody waits for the rest.
      if (!socket.destroyed) done()
    })
  })
}
