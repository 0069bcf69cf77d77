/**
 * Bodies that were put aside for somebody who waits: he takes them out himself, and what he leaves there, for he may
 * have given up, is removed a while later.
 */
import type { Bulky } from '@tidemark/bus/bulky'

export type LentBodies = {
  /** The body of this key is fetched soon, or not at all. */
  lent(key: string): void
  /** Nobody will fetch it. */
  untaken(key: string): void
}

type Options = {
  bulky: Bulky
  /** Ends the waiting; what is still there then goes with its age. */
  signal: AbortSignal
  report: (error: unknown) => void
  /** How long somebody may take who has his answer. */
  longestMs?: number
}

const twoMinutes = 120_000

export function lendBodies({ bulky, signal, report, longestMs = twoMinutes }: Options): LentBodies {
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
      }, longestMs).unref()
      timers.add(timer)
    },
  }
}
