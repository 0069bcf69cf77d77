/** Where one text occurs in another, in linear time also when both were made to be slow. */

/** Up to this length the engine's own search is quick even at its worst; beyond, its worst is a product. */
const short = 16

/** As `text.indexOf(part, from)`. `fallbacks` are those of the part, where they are known already. */
export function indexFrom(text: string, part: string, from: number, fallbacks = fallbacksOf(part)): number {
  if (part.length > text.length - from) return -1
  return fallbacks === null ? text.indexOf(part, from) : knuthMorrisPratt(text, part, from, fallbacks)
}

/** Prepared search of a long part; null for a short one. */
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

/** For each position, the length of the longest proper prefix of `part` that ends there. */
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
