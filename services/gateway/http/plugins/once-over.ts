/** What an answer holds is given back when it is sent, or its client has left: not before, and in any case. */
import type { FastifyReply } from 'fastify'

type Raw = FastifyReply['raw']

/** One listener of each answer calls them all: so many hang on its end that Node would take them for a leak. */
const waiting = new WeakMap<Raw, (() => void)[]>()

/** Calls `end` once, at once where it is over already. */
export function onceOver(raw: Raw, end: () => void): void {
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
