/**
 * Implements circuit breakers of endpoints. An endpoint is a host as the receiver of one project, because projects
 * share hosts, and failed deliveries of one project do not predict those of others. After a number of consecutive
 * failures an endpoint gets one new delivery at a time, until it accepts one, so that its waiting deliveries take no
 * slots from others. Retries always pass: each has a promised time, and a delivery has at most four.
 */

/** A host as the receiver of one project. */
export type Endpoint = { projectId: number; host: string }

type State = { failures: number; isTried: boolean }
type OfProject = Map<string, State>

export type Breakers = {
  /** Admits a new delivery until the returned value is disposed; null while a trial is in progress at a broken endpoint. */
  enter(endpoint: Endpoint): Disposable | null
  /** Records the result of a new delivery, or of a successful retry. */
  record(endpoint: Endpoint, isFault: boolean): void
  /** Returns the endpoints that get one new delivery at a time. */
  broken(): Endpoint[]
}

/**
 * Maximum number of endpoints with failures, because a project can name any number of hosts. Above it, the oldest
 * endpoint of the project with the most endpoints is removed, and its failures count from 0 again.
 */
const maxEndpoints = 10_000
const nothing: Disposable = { [Symbol.dispose]() {} }

/** Opens the breakers: `failures` consecutive failures break an endpoint, and one success repairs it. */
export function openBreakers(failures: number): Breakers {
  const projects = new Map<number, OfProject>()
  let count = 0
  const isBroken = (state: State | undefined): state is State =>
    state !== undefined && state.failures >= failures

  function remove({ projectId, host }: Endpoint): void {
    const own = projects.get(projectId)
    if (own?.delete(host)) count -= 1
    if (own?.size === 0) projects.delete(projectId)
  }

  function removeOldest(): void {
    let largest: [projectId: number, own: OfProject] | null = null
    for (const one of projects) if (largest === null || one[1].size > largest[1].size) largest = one
    const [projectId, own] = largest ?? []
    const [host] = own?.keys() ?? []
    if (projectId !== undefined && host !== undefined) remove({ projectId, host })
  }

  return {
    enter({ projectId, host }) {
      const state = projects.get(projectId)?.get(host)
      if (!isBroken(state)) return nothing
      if (state.isTried) return null
      state.isTried = true
      return {
        [Symbol.dispose]() {
          state.isTried = false
        },
      }
    },

    record(endpoint, isFault) {
      const { projectId, host } = endpoint
      const state = projects.get(projectId)?.get(host) ?? { failures: 0, isTried: false }
      remove(endpoint)
      if (!isFault) return
      state.failures++
      const own = projects.get(projectId) ?? new Map<string, State>()
      projects.set(projectId, own.set(host, state))
      count += 1
      if (count > maxEndpoints) removeOldest()
    },

    broken: () =>
      [...projects].flatMap(([projectId, own]) =>
        [...own].flatMap(([host, state]) => (isBroken(state) ? { projectId, host } : [])),
      ),
  }
}
