/** The times between the requests to each host, by the clock of the hosts. */
import { patient } from '@tidemark/testing/slowness'
import { type History, only } from './history.ts'

export type Politeness = { shortestMs: number; breaches: string[] }

/** A fault may let one request through early, because the process that counted the time has died. */
const disturbedMs = patient(3_000)

/**
 * Returns the shortest pause, and as breaches the pauses below `minPauseMs`. Pauses right after a fault do not count.
 * Without any pause the shortest is infinite.
 */
export function politeness(history: History, minPauseMs = 0): Politeness {
  const faults = only(history, 'kill').map(({ at }) => at)
  const isDisturbed = (at: number) => faults.some(fault => at >= fault && at <= fault + disturbedMs)
  const hosts = Map.groupBy(only(history, 'hit'), ({ host }) => host)
  let shortestMs = Number.POSITIVE_INFINITY
  const breaches: string[] = []
  for (const [host, hits] of hosts) {
    const times = hits.map(({ at }) => at).sort((a, b) => a - b)
    for (const [n, at] of times.entries()) {
      const pauseMs = at - (times[n - 1] ?? Number.NEGATIVE_INFINITY)
      if (isDisturbed(at)) continue
      shortestMs = Math.min(shortestMs, pauseMs)
      if (pauseMs < minPauseMs) breaches.push(`host ${host} was requested after ${pauseMs.toFixed(1)} ms`)
    }
  }
  return { shortestMs, breaches }
}
