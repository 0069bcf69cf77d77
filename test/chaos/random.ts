/** Repeatable randomness: the same seed makes the same choices on every machine. */
import { createHash } from 'node:crypto'

/** Returns a number from 0 up to 1, a pure function of the words. */
export function chanceOf(...words: (string | number)[]): number {
  return createHash('sha256').update(words.join('/')).digest().readUInt32BE() / 2 ** 32
}

/** Returns a generator of numbers from 0 up to 1. */
export function dice(seed: number): () => number {
  let thrown = 0
  return () => chanceOf(seed, 'dice', thrown++)
}

export const pick = <T>(chance: number, from: readonly T[]): T | undefined =>
  from[Math.floor(chance * from.length)]
