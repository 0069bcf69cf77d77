/** Calls back once when a response was sent or its client has left, so that resources can be released. */
import type { FastifyReply } from 'fastify'

type Raw = FastifyReply['raw']

/** All callbacks of a response share one listener, because Node reports many listeners as a leak. */
const waiting = new WeakMap<Raw, (() => void)[]>()

/** Calls `end` once; immediately if the response has ended already. */
export function onResponseEnd(raw: Raw, end: () => void): void {
  const before = waiting.get(raw)
  if (raw.closed) end()
  else if (before !== undefined) before.push(end)
  else {
    const ends = [end]
    waiting.set(raw, ends)
    raw.once('close', () => {
      for (const end of ends) end()
    })
  }
}
