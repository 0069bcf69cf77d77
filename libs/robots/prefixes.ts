/** Finds the longest of many prefixes of a path: a file may have tens of thousands, and each link is judged. */

export type Prefixes<Value> = {
  /** In ascending order, each once. */
  sorted: string[]
  values: Value[]
  /** For each, the position of the longest other one that begins it, or -1. */
  parents: number[]
}

/** A map of prefixes. */
export function prefixesOf<Value>(byPrefix: ReadonlyMap<string, Value>): Prefixes<Value> {
  const entries = [...byPrefix].sort(([a], [b]) => (a < b ? -1 : 1))
  const sorted = entries.map(([prefix]) => prefix)
  const parents: number[] = []
  for (const [position, prefix] of sorted.entries()) {
    parents.push(longestFrom(sorted, parents, position - 1, prefix))
  }
  return { sorted, values: entries.map(([, value]) => value), parents }
}

/** The value of the longest prefix that begins the path, or null. */
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

/** All prefixes of a text that sort before it begin its nearest neighbour too, so they are its ancestors. */
function longestFrom(sorted: string[], parents: number[], from: number, text: string): number {
  let position = from
  while (position !== -1 && !text.startsWith(sorted[position] ?? '')) position = parents[position] ?? -1
  return position
}
