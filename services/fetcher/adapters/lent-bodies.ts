/**
 * Tracks bodies in the object store that a waiting client fetches and removes. If the client has given up, its bodies
 * remain, so they are removed after a while.
 */
import type { Bulky } from '@tidemark/bus/bulky'

export type LentBodies = {
  /** Records that a client may fetch the body of this key, and removes the body `maxMs` later. */
  lend(key: string): void
  /** Removes the body of this key, because the client will not fetch it. */
  discard(key: string): void
}

type Options = {
  bulky: Bulky
  /** Ends the tracking. The sweep of the object store then removes remaining bodies by their age. */
  signal: AbortSignal
  report: (error: unknown) => void
  /** Time in which a client must take its body, in milliseconds. */
  maxMs?: number
}

const twoMinutes = 120_000

export function lendBodies({ bulky, signal, report, maxMs = twoMinutes }: Options): LentBodies {
  const timers = new Set<NodeJS.Timeout>()
  const discard = (key: string) => void bulky.delete(key).catch(report)
  const forget = () => {
    for (const timer of timers) clearTimeout(timer)
  }
  signal.addEventListener('abort', forget, { once: true })

  return {
    discard,
    lend(key) {
      if (signal.aborted) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        discard(key)
      }, maxMs).unref()
      timers.add(timer)
    },
  }
}
