/**
 * Waits until all pages of runs and all requests until now are in the ledger, so that a client finds its own requests
 * counted. Concurrent clients share a wait, so that more clients cause no more work while the ledger is behind.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Readers, untilRecorded } from './recorded.ts'

/**
 * Maximum milliseconds of one wait. A client waits for two of them at most, and the gateway waits two seconds for its
 * response.
 */
const limitMs = 500
const pollEveryMs = 10

/** Returns a function that waits until the ledger is current. The wait ends within a second and never rejects. */
export function createCurrent(of: Omit<Readers, 'pollEveryMs'>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null

  async function wait(): Promise<void> {
    const signal = AbortSignal.any([of.signal, AbortSignal.timeout(limitMs)])
    const recorded = untilRecorded({ ...of, signal, pollEveryMs }).catch(() => false)
    await Promise.race([recorded, sleep(limitMs)])
  }

  // A client joins no wait that began before its request.
  return () => {
    next ??= running.then(() => {
      next = null
      running = wait()
      return running
    })
    return next
  }
}
