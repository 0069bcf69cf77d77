/** How long a relay rests between two passes over its outbox: not at all while it gets on, and never when it is woken. */

/** What a pass found: rows that it published, none, rows that another relay holds, or an obstacle. */
export type Found = 'rows' | 'nothing' | 'locks' | 'obstacles'

const sweepMs = 1_000
const lockedMs = 20
const firstRetryMs = 100
/** What is mended is found within this. */
const longestRetryMs = 2_000

export class Pace {
  readonly #signal: AbortSignal
  #isWoken = false
  #end = () => {}
  #obstacles = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** Ends the rest, or lets the next one fall out. */
  wake(): void {
    this.#isWoken = true
    this.#end()
  }

  /** From here on a call of `wake` is about the next pass. */
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
        return Math.min(firstRetryMs * 2 ** (this.#obstacles - 1), longestRetryMs)
    }
  }
}
