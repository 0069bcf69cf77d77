/** Bounds the size of a collection by dropping its oldest entry. */

/** Removes the first entry if there are more than `maxEntries`. Call it at each insertion. */
export function keepNewest<Key>(entries: Map<Key, unknown> | Set<Key>, maxEntries: number): void {
  if (entries.size <= maxEntries) return
  const oldest = entries.keys().next()
  if (!oldest.done) entries.delete(oldest.value)
}
