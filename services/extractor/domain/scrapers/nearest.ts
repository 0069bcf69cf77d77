/** Suggestions for misspelled names. */

const maxSuggestions = 3
/** A name that differs in more than half of its letters is not similar. */
const maxDistance = 0.5
/** Characters beyond this length are ignored, because no name is longer. */
const maxLength = 253

/** Returns the similar names, nearest first. */
export function nearest(name: string, names: readonly string[]): string[] {
  const meant = name
    .slice(0, maxLength)
    .toLowerCase()
    .replace(/^www\./, '')
  return names
    .map(one => ({ one, away: distance(meant, one) / Math.max(meant.length, one.length) }))
    .filter(({ away, one }) => away <= maxDistance || one.includes(meant) || meant.includes(one))
    .sort((a, b) => a.away - b.away)
    .slice(0, maxSuggestions)
    .map(({ one }) => one)
}

/** Levenshtein distance: insertions, deletions and substitutions. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let n = 1; n <= to.length; n++) {
      const changed = (row[n - 1] as number) + (from[at - 1] === to[n - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[n] as number) + 1, (next[n - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
