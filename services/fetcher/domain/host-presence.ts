/**
 * How many requests this process has at one host, and of which runs. All runs together stay below the ceiling; one that
 * has the host to itself may go to twice of it, which is what `aggressive` asks for.
 */

/** Requests at a host, where one run has it to itself. */
export const mostAtHost = (ceiling: number): number => 2 * ceiling

export class HostPresence {
  readonly #ceiling: number
  #out = 0
  readonly #runs = new Map<number, number>()
  /** Runs that found no place and have not come in since: nobody has the host to himself beside them. */
  readonly #refused = new Set<number>()

  constructor(ceiling: number) {
    this.#ceiling = ceiling
  }

  /** Nobody is there, and nobody wants to be. */
  get isIdle(): boolean {
    return this.#out === 0 && this.#refused.size === 0
  }

  /** Takes a place for a request of the run, if there is one. */
  enter(runId: number): boolean {
    if (this.#out >= this.#ceiling && !this.#mayExceed(runId)) {
      this.#refused.add(runId)
      return false
    }
    if (this.#refused.size > 0) this.#refused.delete(runId)
    this.#out += 1
    this.#runs.set(runId, (this.#runs.get(runId) ?? 0) + 1)
    return true
  }

  leave(runId: number): void {
    this.#out -= 1
    const left = (this.#runs.get(runId) ?? 1) - 1
    if (left > 0) this.#runs.set(runId, left)
    else this.#runs.delete(runId)
  }

  /** The run no longer waits for a place. */
  gone(runId: number): void {
    this.#refused.delete(runId)
  }

  #mayExceed(runId: number): boolean {
    return (
      this.#out < mostAtHost(this.#ceiling) && hasOnly(this.#runs, runId) && hasOnly(this.#refused, runId)
    )
  }
}

const hasOnly = (runs: { size: number; has: (runId: number) => boolean }, runId: number): boolean =>
  runs.size === 0 || (runs.size === 1 && runs.has(runId))
