/**
 * So many bytes of memory for bodies, given out in the order in which they were asked for. Who has some goes before who
 * has none, so that what was begun ends.
 */

/** A part of the budget, or a place in its line; given back when disposed. */
export type Claim = Disposable & {
  /** Resolves when the bytes may be used; null where that is now. */
  granted: Promise<void> | null
  /** So many bytes in all instead of fewer. Resolves when they may be used; null where that is now. */
  grow(bytes: number): Promise<void> | null
}

export type ByteBudget = {
  /**
   * What is larger than the whole budget is let through when nothing else is; nothing needs no room. Where all who have
   * some wait for more, the eldest of them gets it all the same: the budget is exceeded by what one needs at most.
   */
  claim(bytes: number): Claim
}

type Part = { held: number; wanted: number; wait: PromiseWithResolvers<void> | null; isOver: boolean }

export function createByteBudget(most: number): ByteBudget {
  let used = 0
  /** Those that have some, the eldest first. */
  const holders = new Set<Part>()
  const growing = new Set<Part>()
  const beginning = new Set<Part>()

  const fits = ({ wanted, held }: Part): boolean => used === 0 || used + wanted - held <= most

  function grantNext(): void {
    for (const part of inLine()) {
      if (!fits(part)) break
      grant(part)
    }
    const [eldest] = holders
    if (eldest !== undefined && growing.size === holders.size) grant(eldest)
  }

  function* inLine(): Generator<Part> {
    yield* growing
    yield* beginning
  }

  function grant(part: Part): void {
    growing.delete(part)
    beginning.delete(part)
    used += part.wanted - part.held
    part.held = part.wanted
    holders.add(part)
    part.wait?.resolve()
    part.wait = null
  }

  function want(part: Part, bytes: number, line: Set<Part>): Promise<void> | null {
    if (part.isOver || bytes <= part.wanted) return part.wait?.promise ?? null
    part.wanted = bytes
    if (part.wait === null) {
      part.wait = Promise.withResolvers()
      line.add(part)
    }
    const { promise } = part.wait
    grantNext()
    return part.wait && promise
  }

  function giveBack(part: Part): void {
    part.isOver = true
    growing.delete(part)
    beginning.delete(part)
    holders.delete(part)
    used -= part.held
    part.held = 0
    grantNext()
  }

  return {
    claim(bytes) {
      const part: Part = { held: 0, wanted: 0, wait: null, isOver: false }
      return {
        granted: want(part, bytes, beginning),
        grow: more => want(part, more, growing),
        [Symbol.dispose]: () => giveBack(part),
      }
    },
  }
}
