/**
 * Limits concurrent deliveries to one host. A hanging receiver holds only its own slots. Further deliveries to it wait
 * a moment and are then postponed, so that they hold no slots of other hosts. Retries have a promised time, so the same
 * number of slots again is reserved for them.
 */

type Waiting = { isRetry: boolean; called: (slot: Disposable | null) => void }
type Host = { inUse: number; waiting: Waiting[] }

export type HostTurns = {
  /**
   * Acquires a slot, until it is disposed. Resolves with null if no slot becomes free in time, or if too many
   * deliveries wait already. Retries come before all waiting deliveries.
   */
  take(host: string, order: { isRetry: boolean }): Promise<Disposable | null>
}

export function hostTurns(limit: number, patienceMs: number): HostTurns {
  const hosts = new Map<string, Host>()
  const maxWaiting = Math.max(2, limit)
  const hasSlot = ({ inUse }: Host, isRetry: boolean) => inUse < (isRetry ? 2 * limit : limit)

  return {
    async take(name, { isRetry }) {
      const host = hosts.get(name) ?? { inUse: 0, waiting: [] }
      hosts.set(name, host)
      if (hasSlot(host, isRetry)) {
        host.inUse++
        return slotOf(name, host)
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
        called(slot: Disposable | null) {
          clearTimeout(timer)
          resolve(slot)
        },
      }
      if (isRetry) host.waiting.unshift(waiting)
      else host.waiting.push(waiting)
    })
  }

  function slotOf(name: string, host: Host): Disposable {
    let isTaken = true
    return {
      [Symbol.dispose]() {
        if (!isTaken) return
        isTaken = false
        host.inUse--
        const [next] = host.waiting
        if (next && hasSlot(host, next.isRetry)) {
          host.waiting.shift()
          host.inUse++
          return next.called(slotOf(name, host))
        }
        if (host.inUse === 0) hosts.delete(name)
      },
    }
  }
}
