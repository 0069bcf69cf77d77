/** Returns a set of the latest `max` values. The oldest are dropped. */
export function lastSeen<T>(max: number): {
  has(what: T): boolean
  add(what: T): void
  /** Drops the values for which `isWanted` is true. */
  forget(isWanted: (what: T) => boolean): void
} {
  const seen = new Set<T>()
  return {
    has: what => seen.has(what),
    forget(isWanted) {
      for (const what of seen) if (isWanted(what)) seen.delete(what)
    },
    add(what) {
      seen.delete(what)
      seen.add(what)
      const [oldest] = seen
      if (seen.size > max && oldest !== undefined) seen.delete(oldest)
    },
  }
}
