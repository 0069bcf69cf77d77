/** What an answer holds is given back when it is sent, or its client has left: not before, and in any case. */
import type { FastifyReply } from 'fastify'

/** Calls `end` once, at once where it is over already. */
export function onceOver(raw: FastifyReply['raw'], end: () => void): void {
  if (raw.closed) end()
  else raw.once('close', end)
}
