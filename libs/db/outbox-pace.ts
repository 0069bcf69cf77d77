/** Determines how long a relay rests between two passes over its outbox: not at all while it makes progress. */

/** The result of a pass: published rows, no rows, rows that another relay holds, or an obstacle. */
export type Found = 'rows' | 'nothing' | 'locks' | 'obstacles'

const sweepMs = 1_000
const lockedMs = 20
const firstRetryMs = 100
/** Maximum milliseconds between two passes after obstacles. */
const maxRetryMs = 2_000

export class Pace {
  readonly #signal: AbortSignal
  #isWoken = false
  #end = () => {}
  #obstacles = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Ends the rest, or skips the next one. */
  wake(): void {
    this.#isWoken = true
    this.#end()
  }

  /** Marks the start of a pass. A later `wake` skips the rest after it. */
  begin(): void {
    this.#isWoken = false
  }

  async rest(found: Found): Promise<void> {
    this.#obstacles = found === 'obstacles' ? this.#obstacles + 1 : 0
    const restMs = this.#restAfter(found)
    if (restMs === 0 || this.#isWoken || this.#signal.aborted) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, restMs)
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #restAfter(found: Found): number {
    switch (found) {
      case 'rows':
        return 0
      case 'nothing':
        return sweepMs
      case 'locks':
        return lockedMs
      case 'obstacles':
        return Math.min(firstRetryMs * 2 ** (this.#obstacles - 1), maxRetryMs)
    }
  }
}
