/** The times between the requests to each host, by the clock of the hosts. */
import { patient } from '@tidemark/testing/slowness'
import { type History, only } from './history.ts'

export type Politeness = { shortestMs: number; breaches: string[] }

/** A fault may let one request through early, because the process that counted the time has died. */
const disturbedMs = patient(3_000)

/**
 * Returns the shortest pause, and as breaches the pauses below `minPauseMs`. Pauses right after a fault do not count.
 * Without any pause the shortest is infinite. A pause may have been longer than it seems if its first request was
 * recorded late: it is judged by its upper bound.
 */
export function politeness(history: History, minPauseMs = 0): Politeness {
  const faults = only(history, 'kill').map(({ at }) => at)
  const isDisturbed = (at: number) => faults.some(fault => at >= fault && at <= fault + disturbedMs)
  const hosts = Map.groupBy(only(history, 'hit'), ({ host }) => host)
  let shortestMs = Number.POSITIVE_INFINITY
  const breaches: string[] = []
  for (const [host, unordered] of hosts) {
    const hits = unordered.sort((a, b) => a.at - b.at)
    for (const [n, { at, path }] of hits.entries()) {
      const before = hits[n - 1]
      if (before === undefined || isDisturbed(at)) continue
      const pauseMs = at - before.at
      shortestMs = Math.min(shortestMs, pauseMs)
      if (pauseMs + (before.lateMs ?? 0) >= minPauseMs) continue
      const sinceMs = at - Math.max(...faults.filter(fault => fault <= at))
      breaches.push(
        `host ${host} was requested after ${pauseMs.toFixed(1)} ms, ` +
          `${Math.round(sinceMs)} ms after a fault (${before.path}, ${path})`,
      )
    }
  }
  return { shortestMs, breaches }
}
