/** Collections that forget: what was put in first goes first. */

/** Takes out the first entry where there are more than `most`; to be called at each insertion. */
export function keepNewest<Key>(entries: Map<Key, unknown> | Set<Key>, most: number): void {
  if (entries.size <= most) return
  const oldest = entries.keys().next()
  if (!oldest.done) entries.delete(oldest.value)
}
