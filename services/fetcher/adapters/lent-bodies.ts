/**
 * Bodies in the object store for a waiting client. The client removes them. Bodies that it leaves, because it may have
 * given up, are removed a while later.
 */
import type { Bulky } from '@tidemark/bus/bulky'

export type LentBodies = {
  /** The client fetches the body of this key soon, or never. */
  lent(key: string): void
  /** The client will not fetch it. */
  untaken(key: string): void
}

type Options = {
  bulky: Bulky
  /** Ends the waiting. Remaining bodies are then removed by their age. */
  signal: AbortSignal
  report: (error: unknown) => void
  /** Time in which a client must take its body, in milliseconds. */
  maxMs?: number
}

const twoMinutes = 120_000

export function lendBodies({ bulky, signal, report, maxMs = twoMinutes }: Options): LentBodies {
  const timers = new Set<NodeJS.Timeout>()
  const untaken = (key: string) => void bulky.delete(key).catch(report)
  const forget = () => {
    for (const timer of timers) clearTimeout(timer)
  }
  signal.addEventListener('abort', forget, { once: true })

  return {
    untaken,
    lent(key) {
      if (signal.aborted) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        untaken(key)
      }, maxMs).unref()
      timers.add(timer)
    },
  }
}
