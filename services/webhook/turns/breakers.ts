/**
 * Endpoints that failed so often in a row that they are asked one new delivery at a time, until one is taken: what
 * waits for them costs nobody a place meanwhile. Retries are no matter of this: each has its promised time, and there
 * are at most four for what was begun.
 */

type Endpoint = { failures: number; isTried: boolean }

export type Breakers = {
  /** Whether a new delivery may be tried there now; given back when disposed. Null while another one is a trial. */
  enter(host: string): Disposable | null
  /** What a new delivery says of the endpoint, or a retry that was taken. */
  note(host: string, isFault: boolean): void
  /** Hosts that are asked one at a time. */
  broken(): string[]
}

/** A stranger can name any number of hosts; who is forgotten is tried like a new one. */
const maxRemembered = 10_000
const nothing: Disposable = { [Symbol.dispose]() {} }

/** `failures` in a row break it; one success makes it whole. */
export function openBreakers(failures: number): Breakers {
  const endpoints = new Map<string, Endpoint>()
  const isBroken = (endpoint: Endpoint | undefined): endpoint is Endpoint =>
    endpoint !== undefined && endpoint.failures >= failures

  return {
    enter(host) {
      const endpoint = endpoints.get(host)
      if (!isBroken(endpoint)) return nothing
      if (endpoint.isTried) return null
      endpoint.isTried = true
      return {
        [Symbol.dispose]() {
          endpoint.isTried = false
        },
      }
    },

    note(host, isFault) {
      const endpoint = endpoints.get(host) ?? { failures: 0, isTried: false }
      endpoints.delete(host)
      if (!isFault) return
      endpoint.failures++
      endpoints.set(host, endpoint)
      const [oldest] = endpoints.keys()
      if (endpoints.size > maxRemembered && oldest !== undefined) endpoints.delete(oldest)
    },

    broken: () => [...endpoints].flatMap(([host, endpoint]) => (isBroken(endpoint) ? host : [])),
  }
}
