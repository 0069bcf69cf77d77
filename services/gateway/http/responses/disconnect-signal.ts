import type { FastifyReply } from 'fastify'
import { onResponseEnd } from '../requests/on-response-end.ts'

/** Returns a signal that aborts when the client disconnects before its response, so that its work can be stopped. */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  if (raw.destroyed) disconnected.abort()
  onResponseEnd(raw, () => {
    if (!raw.writableFinished) disconnected.abort()
  })
  return disconnected.signal
}
