/** Determines how long a relay rests between two passes over its outbox: not at all while it makes progress. */
import { WakeUp } from '@tidemark/bus/wake-up'

/** The result of a pass: published rows, no rows, rows that another relay holds, or an error. */
export type Found = 'rows' | 'nothing' | 'locks' | 'obstacles'

const sweepMs = 2_000
const lockedMs = 20
const firstRetryMs = 100
/** Maximum milliseconds between two passes after obstacles. */
const maxRetryMs = 2_000

export class RelayPauses {
  readonly #signal: AbortSignal
  readonly #wakeUp = new WakeUp()
  #obstacles = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Ends the rest. During a pass it skips the rest after that pass. */
  wake(): void {
    this.#wakeUp.call()
  }

  async rest(found: Found): Promise<void> {
    this.#obstacles = found === 'obstacles' ? this.#obstacles + 1 : 0
    await this.#wakeUp.pause(this.#restAfter(found), this.#signal)
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
