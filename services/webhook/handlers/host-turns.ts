/**
 * So many deliveries to one host at once and no more: a receiver that hangs holds its own share of the places, and
 * what comes for it beyond that waits a moment and is then put off, so that it holds nobody else's.
 */

type Host = { inUse: number; waiting: Array<(turn: Disposable | null) => void> }

export type HostTurns = {
  /**
   * A place, given back when disposed; null when none came free in time, or too many wait already. Who is first
   * is served before all who wait: his wait is a promise, theirs is not.
   */
  take(host: string, order: { isFirst: boolean }): Promise<Disposable | null>
}

export function hostTurns(most: number, patienceMs: number): HostTurns {
  const hosts = new Map<string, Host>()

  return {
    async take(name, { isFirst }) {
      const host = hosts.get(name) ?? { inUse: 0, waiting: [] }
      hosts.set(name, host)
      if (host.inUse < most) {
        host.inUse++
        return turnOf(name, host)
      }
      return host.waiting.length < 2 * most ? wait(host, isFirst) : null
    },
  }

  function wait(host: Host, isFirst: boolean): Promise<Disposable | null> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        host.waiting.splice(host.waiting.indexOf(called), 1)
        resolve(null)
      }, patienceMs)
      function called(turn: Disposable | null): void {
        clearTimeout(timer)
        resolve(turn)
      }
      if (isFirst) host.waiting.unshift(called)
      else host.waiting.push(called)
    })
  }

  function turnOf(name: string, host: Host): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (!isTaken) return
        isTaken = false
        const next = host.waiting.shift()
        if (next) return next(turnOf(name, host))
        host.inUse--
        if (host.inUse === 0) hosts.delete(name)
      },
    }
  }
}
