/** A client that leaves before its answer: what is done for it alone is given up. */
import type { FastifyReply } from 'fastify'

/** Aborted when the client has left. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
