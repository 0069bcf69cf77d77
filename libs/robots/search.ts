/** Finds one text in another in linear time, even if both are hostile. */

/**
 * Up to this length the engine's own search is fast even in the worst case. Beyond it, the worst case is the product
 * of both lengths.
 */
const short = 16

/**
 * Returns the same as `text.indexOf(part, from)`.
 * @param fallbacks The search table of the part (`fallbacksOf`).
 */
export function indexFrom(text: string, part: string, from: number, fallbacks: Uint16Array | null): number {
  if (part.length > text.length - from) return -1
  return fallbacks === null ? text.indexOf(part, from) : knuthMorrisPratt(text, part, from, fallbacks)
}

/** Returns the search table of a long part, or null for a short one. */
export const fallbacksOf = (part: string): Uint16Array | null => (part.length <= short ? null : tableOf(part))

function knuthMorrisPratt(text: string, part: string, from: number, fallback: Uint16Array): number {
  let matched = 0
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== part.charCodeAt(matched))
      matched = fallback[matched - 1] ?? 0
    if (text.charCodeAt(at) === part.charCodeAt(matched)) matched += 1
    if (matched === part.length) return at - matched + 1
  }
  return -1
}

/** Returns, for each position, the length of the longest proper prefix of `part` that ends there. */
function tableOf(part: string): Uint16Array {
  const lengths = new Uint16Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at++) {
    while (matched > 0 && part.charCodeAt(at) !== part.charCodeAt(matched))
      matched = lengths[matched - 1] ?? 0
    if (part.charCodeAt(at) === part.charCodeAt(matched)) matched += 1
    lengths[at] = matched
  }
  return lengths
}
