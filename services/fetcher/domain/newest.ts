/** Bounds the size of a collection by dropping its oldest entry. */

/** Removes the first entry if there are more than `most`. Call it at each insertion. */
export function keepNewest<Key>(entries: Map<Key, unknown> | Set<Key>, most: number): void {
  if (entries.size <= most) return
  const oldest = entries.keys().next()
  if (!oldest.done) entries.delete(oldest.value)
}
