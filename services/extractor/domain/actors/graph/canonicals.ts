/** Which page each page would rather be known by. */

const none = -1

/**
 * The same without those that lead in a circle, of which no page could be meant.
 * @param canonicals of each page the page that its canonical address leads to; itself and -1 are none
 */
export function withoutCircles(canonicals: Int32Array): Int32Array {
  const kept = canonicals.map((to, from) => (to === from ? none : to))
  /** On which walk a page was met; 0 is never. */
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
