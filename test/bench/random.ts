/** Repeatable randomness: the same seed gives the same numbers on every machine. */

/** Returns a whole number from 0 to `below` - 1. */
export type Random = (below: number) => number

/** Returns a linear congruential generator with the constants of Numerical Recipes. It uses the upper bits. */
export function random(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  const step = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  step()
  return below => Math.floor(step() * below)
}

export const chooser =
  (items: string[], next: Random): (() => string) =>
  () =>
    items[next(items.length)] ?? ''
