/** Jain's fairness index. */

/** Returns 1 if all shares are equal, 1/n if one of n has everything, and 0 if all are 0 (Jain, Chiu and Hawe 1984). */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((all, share) => all + share, 0)
  const squares = shares.reduce((all, share) => all + share ** 2, 0)
  return squares === 0 ? 0 : sum ** 2 / (shares.length * squares)
}
