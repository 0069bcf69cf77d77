/**
 * Closes the connections of clients that stop reading. Slow clients are tolerated, but a client that reads nothing for the
 * limit has left, and its connection and buffers are released.
 */
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

/**
 * Closes stalled connections.
 * @param limitMs a connection is closed after one to two times this time without a byte read
 */
export function installStalled(app: App, limitMs: number): void {
  app.addHook('onRequest', (_request, reply, done) => {
    endWhenStalled(reply, limitMs)
    done()
  })
}

/**
 * Closes the connection if it is idle and has unsent bytes. Node also reports idle connections without anything to
 * send.
 */
function endWhenStalled({ raw }: FastifyReply, limitMs: number): void {
  const { socket } = raw
  // A request that was injected without a network has no connection.
  if (!(socket instanceof Socket)) return
  raw.setTimeout(limitMs, () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limitMs)
  })
}
