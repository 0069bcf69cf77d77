/**
 * Places at hosts. A request needs one below the ceiling that all work of this process has at its host, and where its
 * run leaves it to us how many go at once, one in the window as well that shows how many the host bears.
 */
import { HostPresence } from '../domain/host-presence.ts'
import type { Strain } from '../domain/host-window.ts'
import type { HostWindows } from './host-windows.ts'

export type Guest = {
  runId: number
  host: string
  /** Null leaves it to what the host bears. */
  concurrency: number | null
  /** Whether what the host bears of it says anything of what it bears of others. */
  isInOurName: boolean
}

/** A request's place at a host; given back once, in one of two ways. */
export type Place = {
  /** The request is over. */
  leave(strain: Strain): void
  /** There was no request. */
  withdraw(): void
}

export type Places = {
  /** Takes a place at the host; null where none is free. */
  enter(guest: Guest): Place | null
  /** Waits until somebody has left the host. Rejects with the signal's reason when it is aborted before. */
  room(host: string, signal: AbortSignal): Promise<void>
  /** A request that was waited for will never be. */
  gone(guest: Guest): void
}

type Options = {
  windows: HostWindows
  /** Most requests at a host of all runs together; half of what one run may have there that is alone. */
  ceilingOf: (host: string) => number
  /** The highest that a window may become. */
  most: number
}

/** Who left makes room for one, or for a few where a window has grown; hundreds may wait. */
const wokenAtOnce = 16

export function createPlaces({ windows, ceilingOf, most }: Options): Places {
  const present = new Map<string, HostPresence>()
  const waiting = new Map<string, Set<() => void>>()

  function presenceAt(host: string): HostPresence {
    const known = present.get(host)
    if (known) return known
    const presence = new HostPresence(ceilingOf(host))
    present.set(host, presence)
    return presence
  }

  /** Wakes also where nobody is left at the host: who waited for its window has none to wait for. */
  function freed(host: string, presence: HostPresence | undefined): void {
    if (presence?.isIdle) present.delete(host)
    const waiters = waiting.get(host)
    if (waiters === undefined) return
    let woken = 0
    for (const wake of waiters) {
      waiters.delete(wake)
      wake()
      if (++woken === wokenAtOnce) break
    }
    if (waiters.size === 0) waiting.delete(host)
  }

  return {
    enter({ runId, host, concurrency, isInOurName }) {
      const presence = presenceAt(host)
      if (!presence.enter(runId)) return null
      const window = concurrency === null ? windows(isInOurName ? host : `${host} ${runId}`) : null
      if (window?.enter() === false) {
        presence.leave(runId)
        return null
      }
      return {
        leave(strain) {
          window?.leave(strain, most)
          presence.leave(runId)
          freed(host, presence)
        },
        withdraw() {
          window?.withdraw()
          presence.leave(runId)
          freed(host, presence)
        },
      }
    },

    async room(host, signal) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const waiters = waiting.get(host) ?? new Set()
      waiting.set(host, waiters.add(resolve))
      const stop = () => reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', stop)
        waiters.delete(resolve)
        if (waiters.size === 0 && waiting.get(host) === waiters) waiting.delete(host)
      }
    },

    gone({ host, runId }) {
      const presence = present.get(host)
      presence?.gone(runId)
      freed(host, presence)
    },
  }
}
