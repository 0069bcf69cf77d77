/**
 * Limits concurrent deliveries to one host. A hanging receiver holds only its own slots. Further deliveries to it wait
 * a moment and are then postponed, so that they hold no slots of other hosts.
 */

type Host = { inUse: number; waiting: ((slot: Disposable) => void)[] }

export type HostSlots = {
  /**
   * Acquires a slot, until it is disposed. Resolves with null if no slot becomes free in time, or if too many
   * deliveries wait already.
   */
  take(host: string): Promise<Disposable | null>
}

export function hostSlots(limit: number, maxWaitMs: number): HostSlots {
  const hosts = new Map<string, Host>()
  const maxWaiting = Math.max(2, limit)

  return {
    async take(name) {
      const host = hosts.get(name) ?? { inUse: 0, waiting: [] }
      hosts.set(name, host)
      if (host.inUse < limit) {
        host.inUse++
        return slotOf(name, host)
      }
      return host.waiting.length < maxWaiting ? wait(host) : null
    },
  }

  function wait({ waiting }: Host): Promise<Disposable | null> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(called), 1)
        resolve(null)
      }, maxWaitMs)
      function called(slot: Disposable) {
        clearTimeout(timer)
        resolve(slot)
      }
      waiting.push(called)
    })
  }

  function slotOf(name: string, host: Host): Disposable {
    return {
      [Symbol.dispose]() {
        const next = host.waiting.shift()
        if (next) return next(slotOf(name, host))
        host.inUse--
        if (host.inUse === 0) hosts.delete(name)
      },
    }
  }
}
