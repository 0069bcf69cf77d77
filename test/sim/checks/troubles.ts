/**
 * The times in which the state of a fetcher and of Redis may differ: a call was lost, late or without a response, Redis
 * was away or lost its keys, or the process was paused. The shared promises do not hold then.
 */
type Interval = { from: number; to: number }

export class Troubles {
  readonly #of = new Map<string, Interval[]>()

  readonly add = (process: string, from: number, to: number): void => {
    const known = this.#of.get(process) ?? []
    const last = known.at(-1)
    // Calls that fail in a row are one time of trouble.
    if (last !== undefined && from >= last.from && from <= last.to) last.to = Math.max(last.to, to)
    else known.push({ from, to })
    this.#of.set(process, known)
  }

  /** Returns whether the process had a trouble at any time in this interval. */
  hadAny(process: string, from: number, to: number): boolean {
    return this.#of.get(process)?.some(one => one.from <= to && one.to >= from) ?? false
  }

  /** Returns whether any process had a trouble in this interval. */
  had(from: number, to: number): boolean {
    return [...this.#of.keys()].some(process => this.hadAny(process, from, to))
  }
}
