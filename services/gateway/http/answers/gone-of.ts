/** A client that leaves before its answer: what is done for it alone is given up. */
import type { FastifyReply } from 'fastify'
import { onceOver } from '../plugins/once-over.ts'

/** Aborted when the client has left. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  onceOver(raw, () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
