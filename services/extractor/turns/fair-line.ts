/**
 * A line in which one piece of work is done at a time, and in which all who ask take turns: who asks for much waits
 * for himself, and others for no more than one piece of his work each time.
 */

/** By what askers are told apart. */
export type Who = string | number

export type FairLine = {
  /** Does it when its turn has come, and resolves or rejects as it does. */
  join<Result>(who: Who, work: () => Promise<Result>): Promise<Result>
  /** How many wait or are being done. */
  readonly waiting: number
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

export function createFairLine(): FairLine {
  /** Whoever stands first has the next turn. */
  const lines = new Map<Who, (() => Promise<void>)[]>()
  let waiting = 0
  let isWorking = false
  let working = Promise.resolve()

  return {
    join<Result>(who: Who, work: () => Promise<Result>) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const turn = () =>
        work()
          .finally(() => (waiting -= 1))
          .then(resolve, reject)
      waiting += 1
      const own = lines.get(who)
      if (own === undefined) lines.set(who, [turn])
      else own.push(turn)
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
    for (let turn = next(); turn !== undefined; turn = next()) await turn()
    isWorking = false
  }

  /** Whose turn it was goes behind all others. */
  function next(): (() => Promise<void>) | undefined {
    for (const [who, own] of lines) {
      const turn = own.shift()
      lines.delete(who)
      if (own.length > 0) lines.set(who, own)
      return turn
    }
    return undefined
  }
}
