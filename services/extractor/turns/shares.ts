/** A limited resource that no single owner can exhaust: slots, or bytes of memory. */
import type { Who } from './fair-line.ts'

export type Shares = {
  /** Whether this amount is available. */
  has(who: Who, amount: number): boolean
  /** Takes the amount until disposed of; null if it is not available. */
  take(who: Who, amount: number): Disposable | null
}

/** @param most total amount, and amount for one owner; an owner without any gets what is free, whatever its size */
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
