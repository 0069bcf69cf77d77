/** Resolution of canonical pages. */

const none = -1

/**
 * Returns the canonical page of each page, -1 for none. Canonicals that form a circle are dropped, because no page of a
 * circle is canonical.
 * @param canonicals the stated canonical page of each page; its own number and -1 stand for none
 */
export function withoutCircles(canonicals: Int32Array): Int32Array {
  const kept = canonicals.map((to, from) => (to === from ? none : to))
  /** The walk that visited a page; 0 if unvisited. */
  const walks = new Uint32Array(kept.length)
  for (let start = 0; start < kept.length; start++) {
    const walk = start + 1
    let at = start
    while (at !== none && walks[at] === 0) {
      walks[at] = walk
      at = kept[at] as number
    }
    if (at === none || walks[at] !== walk) continue
    for (let next = at; next !== none; ) {
      const from: number = next
      next = kept[from] as number
      kept[from] = none
    }
  }
  return kept
}
