/**
 * A line that does one piece of work at a time, with owners taking turns: an owner with much work delays others by at
 * most one piece each time.
 */

/** Identifies the owner. */
export type Owner = string | number

export type FairLine = {
  /** Does the work when its turn has come, and settles like the work. */
  join<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result>
  /** Number of waiting and running pieces. */
  readonly waiting: number
  /** Resolves when the line is empty. */
  idle(): Promise<void>
}

export function createFairLine(): FairLine {
  /** The owner at the front has the next turn. */
  const lines = new Map<Owner, (() => Promise<void>)[]>()
  let waiting = 0
  let isWorking = false
  let working = Promise.resolve()

  return {
    join<Result>(owner: Owner, work: () => Promise<Result>) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const piece = () =>
        work()
          .finally(() => (waiting -= 1))
          .then(resolve, reject)
      waiting += 1
      const own = lines.get(owner)
      if (own === undefined) lines.set(owner, [piece])
      else own.push(piece)
      if (!isWorking) working = workAll()
      return promise
    },
    get waiting() {
      return waiting
    },
    idle: () => working,
  }

  async function workAll(): Promise<void> {
    isWorking = true
    for (let piece = next(); piece !== undefined; piece = next()) await piece()
    isWorking = false
  }

  /** After its turn an owner moves to the end. */
  function next(): (() => Promise<void>) | undefined {
    for (const [owner, own] of lines) {
      const piece = own.shift()
      lines.delete(owner)
      if (own.length > 0) lines.set(owner, own)
      return piece
    }
    return undefined
  }
}
