/**
 * Counts the requests of this process at one host, by run. All runs together stay below the ceiling. A run that has
 * the host to itself may use twice the ceiling, which is what `aggressive` requests.
 */

/** Maximum requests at a host for a run that has it to itself. */
export const maxAtHost = (ceiling: number): number => 2 * ceiling

export class HostPresence {
  readonly #ceiling: number
  #out = 0
  readonly #runs = new Map<number, number>()
  /** Runs that wait for a slot. While one waits, no other run may exceed the ceiling. */
  readonly #refused = new Set<number>()

  constructor(ceiling: number) {
    this.#ceiling = ceiling
  }

  /** Whether no run has a request in flight or waits for a slot. */
  get isIdle(): boolean {
    return this.#out === 0 && this.#refused.size === 0
  }

  /** Takes a slot for a request of the run. Returns false if none is free. */
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

  /** Records that the run no longer waits for a slot. */
  withdrawClaim(runId: number): void {
    this.#refused.delete(runId)
  }

  #mayExceed(runId: number): boolean {
    return this.#out < maxAtHost(this.#ceiling) && hasOnly(this.#runs, runId) && hasOnly(this.#refused, runId)
  }
}

const hasOnly = (runs: { size: number; has: (runId: number) => boolean }, runId: number): boolean =>
  runs.size === 0 || (runs.size === 1 && runs.has(runId))
