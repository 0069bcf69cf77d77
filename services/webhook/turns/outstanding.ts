/**
 * Deliveries that were announced here and have not ended: so many of a host and of a project, and no more than
 * they can take. What is announced beyond that only comes, finds no place, and must be put off and announced again.
 */

/** Retries have as many places again, as when they are told: each has its promised time. */
export type Waiting = { runId: number; projectId: number; host: string; isRetry: boolean }

export type Outstanding = {
  /** Those that may be announced now, in this order: they count from here on, until they have ended. */
  admit<W extends Waiting>(waiting: readonly W[]): W[]
  /** Its receiver has answered (`isWell`: as it should), or nothing more is under way for it. */
  ended(runId: number, isWell: boolean): void
  has(runId: number): boolean
  /** All that count, the oldest first. */
  runIds(): number[]
  /** A new period begins: what a host has ended in the last one says what it can take in this. */
  begin(): void
}

type Limits = {
  perHost: number
  perProject: number
  inAll: number
  /** Hosts that are asked one at a time. */
  broken: () => string[]
}

/** Of a broken host: one that is tried, and the next. */
const ofBroken = 2

export function openOutstanding({ perHost, perProject, inAll, broken }: Limits): Outstanding {
  const waiting = new Map<number, Waiting>()
  const hosts = new Counts<string>()
  const projects = new Counts<number>()
  /** Of this period and of the one before. */
  let [endedNow, endedBefore] = [new Counts<string>(), new Counts<string>()]

  /** A host that answers finds the next ones at its door; one that hangs has as many as it has places. */
  function roomOf(host: string): number {
    const ended = Math.max(endedNow.of(host), endedBefore.of(host))
    return perHost + Math.min(perHost - 1, ended)
  }

  return {
    admit(candidates) {
      const ill = new Set(broken())
      return candidates.filter(candidate => {
        const { runId, projectId, host, isRetry } = candidate
        const times = isRetry ? 2 : 1
        if (waiting.has(runId) || waiting.size >= times * inAll) return false
        if (projects.of(projectId) >= times * perProject) return false
        if (hosts.of(host) >= (ill.has(host) ? ofBroken : times * roomOf(host))) return false
        waiting.set(runId, candidate)
        hosts.add(host, 1)
        projects.add(projectId, 1)
        return true
      })
    },

    ended(runId, isWell) {
      const one = waiting.get(runId)
      if (one === undefined) return
      waiting.delete(runId)
      hosts.add(one.host, -1)
      projects.add(one.projectId, -1)
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
