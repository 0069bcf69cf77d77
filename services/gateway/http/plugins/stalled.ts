/**
 * Closes the connections of clients that stop reading. Slow clients are tolerated, but a client that reads nothing for the
 * limit has left, and its connection and buffers are released.
 */
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

/** @param limitMs after this time, at most twice of it, without a byte read of an answer its connection is closed */
export function installStalled(app: App, limitMs: number): void {
  app.addHook('onRequest', (_request, reply, done) => {
    endWhenStalled(reply, limitMs)
    done()
  })
}

/** Node reports idle connections, including those for which there was nothing to send yet. */
function endWhenStalled({ raw }: FastifyReply, limitMs: number): void {
  const { socket } = raw
  // A request that was injected without a network has no connection.
  if (!(socket instanceof Socket)) return
  raw.setTimeout(limitMs, () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limitMs)
  })
}
