/**
 * Finds the longest of many prefixes of a path. A file may have tens of thousands of prefixes, and each link is
 * judged.
 */

export type Prefixes<Value> = {
  /** Prefixes in ascending order, without duplicates. */
  sorted: string[]
  values: Value[]
  /** For each prefix, the position of the longest other one that begins it, or -1. */
  parents: number[]
}

/** Returns the search structure of the prefixes in a map. */
export function prefixesOf<Value>(byPrefix: ReadonlyMap<string, Value>): Prefixes<Value> {
  const entries = [...byPrefix].sort(([a], [b]) => (a < b ? -1 : 1))
  const sorted = entries.map(([prefix]) => prefix)
  const parents: number[] = []
  for (const [position, prefix] of sorted.entries()) {
    parents.push(longestFrom(sorted, parents, position - 1, prefix))
  }
  return { sorted, values: entries.map(([, value]) => value), parents }
}

/** Returns the value of the longest prefix of the path, or null. */
export function longestPrefix<Value>(
  { sorted, values, parents }: Prefixes<Value>,
  path: string,
): Value | null {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= path) low = middle + 1
    else high = middle
  }
  return values[longestFrom(sorted, parents, low - 1, path)] ?? null
}

/**
 * Returns the position of the longest prefix of a text at or before `from`, or -1. All prefixes of the text that sort
 * before it are also prefixes of its nearest neighbour, so they are its ancestors.
 */
function longestFrom(sorted: string[], parents: number[], from: number, text: string): number {
  let position = from
  while (position !== -1 && !text.startsWith(sorted[position] ?? '')) position = parents[position] ?? -1
  return position
}
