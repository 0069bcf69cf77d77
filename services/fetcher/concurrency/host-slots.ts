/**
 * Limits the concurrent requests to each host by slots. A request needs a slot below the ceiling of all work of this
 * process at its host. If its run leaves the concurrency to the fetcher, it also needs a slot in the host's window,
 * which adapts to the responses of the host.
 */
import { HostPresence } from '../domain/host-presence.ts'
import type { Strain } from '../domain/host-window.ts'
import type { HostWindows } from './host-windows.ts'

export type SlotClaim = {
  runId: number
  host: string
  /** The run's concurrency; null: the number adapts to the host. */
  concurrency: number | null
  /** Whether the request has the crawler's own identity. Only then do the host's responses apply to other runs too. */
  isInOurName: boolean
}

/** A request's slot at a host. It is released once, by either method. */
export type HostSlot = {
  /** Releases the slot after the request has ended. */
  leave(strain: Strain): void
  /** Releases the slot without a request. */
  withdraw(): void
}

type Options = {
  windows: HostWindows
  /** Maximum requests at a host over all runs; a run that is alone there may have twice as many. */
  ceilingOf: (host: string) => number
  /** Maximum of a window. */
  maxWindow: number
}

/**
 * Maximum waiters to wake when a request ends. It frees one slot, or a few if a window has grown. Hundreds may wait.
 */
const wokenAtOnce = 16

export class HostSlots {
  readonly #windows: HostWindows
  readonly #ceilingOf: Options['ceilingOf']
  readonly #maxWindow: number
  readonly #present = new Map<string, HostPresence>()
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor({ windows, ceilingOf, maxWindow }: Options) {
    this.#windows = windows
    this.#ceilingOf = ceilingOf
    this.#maxWindow = maxWindow
  }

  /** Takes a slot at the host; null if none is free. */
  enter({ runId, host, concurrency, isInOurName }: SlotClaim): HostSlot | null {
    const presence = this.#presenceAt(host)
    if (!presence.enter(runId)) return null
    const window = concurrency === null ? this.#windows(isInOurName ? host : `${host} ${runId}`) : null
    if (window?.enter() === false) {
      presence.leave(runId)
      return null
    }
    return {
      leave: strain => {
        window?.leave(strain, this.#maxWindow)
        presence.leave(runId)
        this.#freed(host, presence)
      },
      withdraw: () => {
        window?.withdraw()
        presence.leave(runId)
        this.#freed(host, presence)
      },
    }
  }

  /** Waits until a request has left the host. Rejects with the signal's reason if it aborts first. */
  async slotFreed(host: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiters = this.#waiting.get(host) ?? new Set()
    this.#waiting.set(host, waiters.add(resolve))
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', stop)
      waiters.delete(resolve)
      if (waiters.size === 0 && this.#waiting.get(host) === waiters) this.#waiting.delete(host)
    }
  }

  /** Records that a waiting request will never be sent. */
  withdrawClaim({ host, runId }: SlotClaim): void {
    const presence = this.#present.get(host)
    presence?.withdrawClaim(runId)
    this.#freed(host, presence)
  }

  #presenceAt(host: string): HostPresence {
    const known = this.#present.get(host)
    if (known) return known
    const presence = new HostPresence(this.#ceilingOf(host))
    this.#present.set(host, presence)
    return presence
  }

  /**
   * Wakes waiters after a slot was released, even if no request is left at the host: requests that waited for a window
   * would otherwise wait forever.
   */
  #freed(host: string, presence: HostPresence | undefined): void {
    if (presence?.isIdle) this.#present.delete(host)
    const waiters = this.#waiting.get(host)
    if (waiters === undefined) return
    let woken = 0
    for (const wake of waiters) {
      waiters.delete(wake)
      wake()
      if (++woken === wokenAtOnce) break
    }
    if (waiters.size === 0) this.#waiting.delete(host)
  }
}
