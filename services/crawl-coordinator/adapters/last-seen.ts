/** Returns a set of the latest `most` values. The oldest are dropped. */
export function lastSeen<T>(most: number): { has(what: T): boolean; add(what: T): void } {
  const seen = new Set<T>()
  return {
    has: what => seen.has(what),
    add(what) {
      seen.delete(what)
      seen.add(what)
      const [oldest] = seen
      if (seen.size > most && oldest !== undefined) seen.delete(oldest)
    },
  }
}
