/** Where one text occurs in another, in linear time also when both were made to be slow. */

/** Up to this length the engine's own search is quick even at its worst; beyond, its worst is a product. */
const short = 16

/** As `text.indexOf(part, from)`. */
export function indexFrom(text: string, part: string, from: number): number {
  if (part.length > text.length - from) return -1
  return part.length <= short ? text.indexOf(part, from) : knuthMorrisPratt(text, part, from)
}

function knuthMorrisPratt(text: string, part: string, from: number): number {
  const fallback = fallbacks(part)
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
function fallbacks(part: string): Int32Array {
  const lengths = new Int32Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at++) {
    while (matched > 0 && part.charCodeAt(at) !== part.charCodeAt(matched))
      matched = lengths[matched - 1] ?? 0
    if (part.charCodeAt(at) === part.charCodeAt(matched)) matched += 1
    lengths[at] = matched
  }
  return lengths
}
