/** Ends the pause of repeated work, because there is something to do. */
export class WakeUp {
  #isDue = false
  #end = () => {}

  /** Ends the current pause, or skips the next one. */
  call(): void {
    this.#isDue = true
    this.#end()
  }

  /** Waits for the time in milliseconds, a call, or the signal, whichever comes first. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue && !signal.aborted) await this.#ended(ms, signal)
    this.#isDue = false
  }

  /** `AbortSignal.any` is not used, because Node 20 keeps one object of each pause as long as the signal lives. */
  async #ended(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', resolve as () => void, { once: true })
    this.#end = resolve
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', resolve as () => void)
  }
}
