/** A limited resource that no single owner can exhaust: slots, or bytes of memory. */
import type { Owner } from '@tidemark/bus/fair-line'

export type Shares = {
  /** Whether this amount is available. */
  has(owner: Owner, amount: number): boolean
  /** Takes the amount until disposed of; null if it is not available. */
  take(owner: Owner, amount: number): Disposable | null
}

/** @param max total amount, and amount for one owner; an owner without any gets what is free, whatever its size */
export function createShares(max: { all: number; each: number }): Shares {
  const taken = new Map<Owner, number>()
  let all = 0
  return {
    has,
    take(owner, amount) {
      if (!has(owner, amount)) return null
      all += amount
      taken.set(owner, (taken.get(owner) ?? 0) + amount)
      return { [Symbol.dispose]: () => giveBack(owner, amount) }
    },
  }

  function has(owner: Owner, amount: number): boolean {
    const own = taken.get(owner) ?? 0
    return (all === 0 || all + amount <= max.all) && (own === 0 || own + amount <= max.each)
  }

  function giveBack(owner: Owner, amount: number): void {
    all -= amount
    const own = (taken.get(owner) ?? 0) - amount
    if (own > 0) taken.set(owner, own)
    else taken.delete(owner)
  }
}
