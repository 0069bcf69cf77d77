/**
 * A client that reads slowly is waited for, but not for ever: one that takes nothing of what waits for it has left
 * without a word, and its connection, with all that is held for it, is let go.
 */
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'

/** @param limitMs after so long, at most twice as long, without a byte taken of an answer its connection is closed */
export function installStalled(app: App, limitMs: number): void {
  app.addHook('onRequest', (_request, reply, done) => {
    endWhenStalled(reply, limitMs)
    done()
  })
}

/** Node tells of a connection on which nothing moved, which is also one for which we had nothing yet. */
function endWhenStalled({ raw }: FastifyReply, limitMs: number): void {
  const { socket } = raw
  // A request that was handed in without a network has nobody to wait for.
  if (!(socket instanceof Socket)) return
  raw.setTimeout(limitMs, () => {
    if (raw.writableLength > 0 || socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(limitMs)
  })
}
