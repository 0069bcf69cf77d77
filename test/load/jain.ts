/** How evenly something is shared, as one number. */

/** 1 where all are equal, 1/n where one has all, 0 where nobody has anything (Jain, Chiu and Hawe 1984). */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((all, share) => all + share, 0)
  const squares = shares.reduce((all, share) => all + share ** 2, 0)
  return squares === 0 ? 0 : sum ** 2 / (shares.length * squares)
}
