/**
 * Circuit breakers of endpoints. After a number of consecutive failures an endpoint gets one new delivery at a time,
 * until it accepts one, so that its waiting deliveries take no slots from others. Retries pass: each has a promised
 * time, and a delivery has at most four.
 */

type Endpoint = { failures: number; isTried: boolean }

export type Breakers = {
  /** Admits a new delivery until the returned value is disposed; null while a trial is in progress at a broken host. */
  enter(host: string): Disposable | null
  /** Records the result of a new delivery, or of a successful retry. */
  record(host: string, isFault: boolean): void
  /** Returns the hosts that get one new delivery at a time. */
  broken(): string[]
}

/** A tenant can name any number of hosts. The oldest are dropped, and count as new hosts then. */
const maxHosts = 10_000
const nothing: Disposable = { [Symbol.dispose]() {} }

/** Opens the breakers: `failures` consecutive failures break an endpoint, and one success repairs it. */
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

    record(host, isFault) {
      const endpoint = endpoints.get(host) ?? { failures: 0, isTried: false }
      endpoints.delete(host)
      if (!isFault) return
      endpoint.failures++
      endpoints.set(host, endpoint)
      const [oldest] = endpoints.keys()
      if (endpoints.size > maxHosts && oldest !== undefined) endpoints.delete(oldest)
    },

    broken: () => [...endpoints].flatMap(([host, endpoint]) => (isBroken(endpoint) ? host : [])),
  }
}
