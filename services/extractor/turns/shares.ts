/** Something there is only so much of, and of which no single asker gets all: places, or bytes of memory. */
import type { Who } from './fair-line.ts'

export type Shares = {
  /** Whether so much is to be had now. */
  has(who: Who, amount: number): boolean
  /** What is taken is given back when it is disposed of; null where it is not to be had now. */
  take(who: Who, amount: number): Disposable | null
}

/** @param most for all together, and for one of them; whoever has nothing gets what nobody else has, however much it is */
export function createShares(most: { all: number; each: number }): Shares {
  const taken = new Map<Who, number>()
  let all = 0
  return {
    has,
    take(who, amount) {
      if (!has(who, amount)) return null
      all += amount
      taken.set(who, (taken.get(who) ?? 0) + amount)
      return { [Symbol.dispose]: () => giveBack(who, amount) }
    },
  }

  function has(who: Who, amount: number): boolean {
    const own = taken.get(who) ?? 0
    return (all === 0 || all + amount <= most.all) && (own === 0 || own + amount <= most.each)
  }

  function giveBack(who: Who, amount: number): void {
    all -= amount
    const own = (taken.get(who) ?? 0) - amount
    if (own > 0) taken.set(who, own)
    else taken.delete(who)
  }
}
