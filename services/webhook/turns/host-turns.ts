/**
 * So many deliveries to one host at once and no more: a receiver that hangs holds its own share of the places, and
 * what comes for it beyond that waits a moment and is then put off, so that it holds nobody else's. A retry has a
 * promised time: there are as many places again for retries alone.
 */

type Waiting = { isRetry: boolean; called: (turn: Disposable | null) => void }
type Host = { inUse: number; waiting: Waiting[] }

export type HostTurns = {
  /**
   * A place, given back when disposed; null when none came free in time, or too many wait already. A retry is
   * served before all who wait.
   */
  take(host: string, order: { isRetry: boolean }): Promise<Disposable | null>
}

export function hostTurns(most: number, patienceMs: number): HostTurns {
  const hosts = new Map<string, Host>()
  const maxWaiting = Math.max(2, most)
  const hasPlace = ({ inUse }: Host, isRetry: boolean) => inUse < (isRetry ? 2 * most : most)

  return {
    async take(name, { isRetry }) {
      const host = hosts.get(name) ?? { inUse: 0, waiting: [] }
      hosts.set(name, host)
      if (hasPlace(host, isRetry)) {
        host.inUse++
        return turnOf(name, host)
      }
      return host.waiting.length < maxWaiting ? wait(host, isRetry) : null
    },
  }

  function wait(host: Host, isRetry: boolean): Promise<Disposable | null> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        host.waiting.splice(host.waiting.indexOf(waiting), 1)
        resolve(null)
      }, patienceMs)
      const waiting = {
        isRetry,
        called(turn: Disposable | null) {
          clearTimeout(timer)
          resolve(turn)
        },
      }
      if (isRetry) host.waiting.unshift(waiting)
      else host.waiting.push(waiting)
    })
  }

  function turnOf(name: string, host: Host): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (!isTaken) return
        isTaken = false
        host.inUse--
        const [next] = host.waiting
        if (next && hasPlace(host, next.isRetry)) {
          host.waiting.shift()
          host.inUse++
          return next.called(turnOf(name, host))
        }
        if (host.inUse === 0) hosts.delete(name)
      },
    }
  }
}
