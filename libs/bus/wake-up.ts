/** Ends the pause of repeated work, because there is something to do. */
export class WakeUp {
  #isDue = false
  #end = () => {}

  /** Ends the current pause, or skips the next one. */
  call(): void {
    this.#isDue = true
    this.#end()
  }

  /**
   * Waits for the time in milliseconds, a call, or the signal, whichever comes first. A pause of 0 ms does not wait, and
   * counts as the one that an earlier call skips.
   */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0 && !this.#isDue && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#end = resolve
      const onAbort = () => resolve()
      signal.addEventListener('abort', onAbort, { once: true })
      const timer = setTimeout(resolve, ms)
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    this.#isDue = false
  }
}
