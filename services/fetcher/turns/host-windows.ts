/** The windows of the hosts that this process has asked lately: the longest unused is forgotten first. */
import { HostWindow, type Strain } from '../domain/host-window.ts'

/** A request's place at a host; given back once, in one of two ways. */
export type Place = {
  /** The request is over. */
  leave(strain: Strain): void
  /** There was no request. */
  withdraw(): void
}

export type HostWindows = {
  /** Takes a place at the host; null where none is free. */
  enter(host: string): Place | null
  /** Waits until somebody has left the host. Rejects with the signal's reason when it is aborted before. */
  room(host: string, signal: AbortSignal): Promise<void>
}

const mostRemembered = 10_000

/** @param most requests at a host at once */
export function createHostWindows(most: number, remembered = mostRemembered): HostWindows {
  const windows = new Map<string, HostWindow>()
  const waiting = new Map<string, Set<() => void>>()

  function windowOf(host: string): HostWindow {
    const window = windows.get(host) ?? new HostWindow(most)
    windows.delete(host)
    windows.set(host, window)
    if (windows.size > remembered) forgetOldest()
    return window
  }

  function forgetOldest(): void {
    for (const [host, window] of windows) {
      if (!window.isIdle) continue
      windows.delete(host)
      return
    }
  }

  function wakeAll(host: string): void {
    const waiters = waiting.get(host)
    waiting.delete(host)
    for (const wake of waiters ?? []) wake()
  }

  return {
    enter(host) {
      const window = windowOf(host)
      if (!window.enter()) return null
      return {
        leave(strain) {
          window.leave(strain, most)
          wakeAll(host)
        },
        withdraw() {
          window.withdraw()
          wakeAll(host)
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
      }
    },
  }
}
