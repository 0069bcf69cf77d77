/**
 * Counts the deliveries that this process has announced and that have not ended, and limits them per endpoint, host and
 * project to their capacity. A delivery beyond the limit would find no slot, and would be postponed and announced
 * again.
 */
import type { Endpoint } from './breakers.ts'

/** A delivery that is due. Retries have separate slots, as many as new deliveries, because each has a promised time. */
export type Waiting = { runId: number; projectId: number; host: string; isRetry: boolean }

export type Outstanding = {
  /** Returns the deliveries that may be announced now, in this order. They count until they have ended. */
  admit<W extends Waiting>(waiting: readonly W[]): W[]
  /** Ends a delivery: its receiver has responded (`isWell`: without a fault of its own), or no attempt is in progress. */
  ended(runId: number, isWell: boolean): void
  has(runId: number): boolean
  /** Returns all counted deliveries, the oldest first. */
  runIds(): number[]
  /**
   * Begins a period. The more deliveries to a host ended in the previous period and in this one, the larger is its
   * capacity.
   */
  begin(): void
}

/** Each limit applies to new deliveries and to retries separately. */
type Limits = {
  perHost: number
  perProject: number
  inAll: number
  /** Returns the endpoints that get one new delivery at a time. */
  broken: () => Endpoint[]
}

/** Maximum number of new deliveries of a broken endpoint: the current trial and the next one. */
export const maxAtBroken = 2

export function openOutstanding({ perHost, perProject, inAll, broken }: Limits): Outstanding {
  const waiting = new Map<number, Waiting>()
  const [ofNew, ofRetries] = [new Load(), new Load()]
  const loadOf = ({ isRetry }: Waiting) => (isRetry ? ofRetries : ofNew)
  /** New deliveries only. */
  const endpoints = new Counts<string>()
  /** Deliveries that ended in this period and in the previous one. */
  let [endedNow, endedBefore] = [new Counts<string>(), new Counts<string>()]

  /** Returns the capacity of a host: its slots, and further deliveries in advance if it responds. */
  function capacityOf(host: string): number {
    const ended = Math.max(endedNow.of(host), endedBefore.of(host))
    return perHost + Math.min(perHost - 1, ended)
  }

  return {
    admit(candidates) {
      const brokenOnes = new Set(broken().map(keyOf))
      return candidates.filter(candidate => {
        const { runId, projectId, host, isRetry } = candidate
        const load = loadOf(candidate)
        if (waiting.has(runId) || load.inAll >= inAll) return false
        if (load.projects.of(projectId) >= perProject) return false
        if (load.hosts.of(host) >= capacityOf(host)) return false
        const endpoint = keyOf(candidate)
        if (!isRetry && brokenOnes.has(endpoint) && endpoints.of(endpoint) >= maxAtBroken) return false
        waiting.set(runId, candidate)
        load.add(candidate, 1)
        if (!isRetry) endpoints.add(endpoint, 1)
        return true
      })
    },

    ended(runId, isWell) {
      const one = waiting.get(runId)
      if (one === undefined) return
      waiting.delete(runId)
      loadOf(one).add(one, -1)
      if (!one.isRetry) endpoints.add(keyOf(one), -1)
      if (isWell) endedNow.add(one.host, 1)
    },

    has: runId => waiting.has(runId),
    runIds: () => [...waiting.keys()],

    begin() {
      endedBefore = endedNow
      endedNow = new Counts()
    },
  }
}

const keyOf = ({ projectId, host }: Endpoint): string => `${projectId} ${host}`

class Counts<Key> {
  readonly #counts = new Map<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, count: number): void {
    const sum = this.of(key) + count
    if (sum === 0) this.#counts.delete(key)
    else this.#counts.set(key, sum)
  }
}

/** The counted deliveries of one kind. */
class Load {
  inAll = 0
  readonly hosts = new Counts<string>()
  readonly projects = new Counts<number>()

  add({ host, projectId }: Waiting, count: number): void {
    this.inAll += count
    this.hosts.add(host, count)
    this.projects.add(projectId, count)
  }
}
