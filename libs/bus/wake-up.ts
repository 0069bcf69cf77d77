/** Ends the pause of repeated work, because there is something to do. */
import { setTimeout as sleep } from 'node:timers/promises'

export class WakeUp {
  #isDue = false
  #pause = new AbortController()

  /** Ends the current pause, or skips the next one. */
  call(): void {
    this.#isDue = true
    this.#pause.abort()
  }

  /** Waits for the time in milliseconds, a call, or the signal, whichever comes first. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#pause = new AbortController()
    const over = AbortSignal.any([signal, this.#pause.signal])
    if (!this.#isDue) await sleep(ms, undefined, { signal: over }).catch(() => {})
    this.#isDue = false
  }
}
