/** Returns a set of the latest `max` values. The oldest are dropped. */
export function lastSeen<T>(max: number): {
  has(value: T): boolean
  add(value: T): void
  /** Removes the values for which `isUnwanted` returns true. */
  forget(isUnwanted: (value: T) => boolean): void
} {
  const seen = new Set<T>()
  return {
    has: value => seen.has(value),
    forget(isUnwanted) {
      for (const value of seen) if (isUnwanted(value)) seen.delete(value)
    },
    add(value) {
      seen.delete(value)
      seen.add(value)
      const [oldest] = seen
      if (seen.size > max && oldest !== undefined) seen.delete(oldest)
    },
  }
}
