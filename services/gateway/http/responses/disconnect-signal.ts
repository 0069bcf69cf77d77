import type { FastifyReply } from 'fastify'
import { onResponseEnd } from '../requests/on-response-end.ts'

/** Returns a signal that aborts when the client disconnects before its response, so that its work can be stopped. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  onResponseEnd(raw, () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}
