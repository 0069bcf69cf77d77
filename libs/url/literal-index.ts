/**
 * Finds the literals that may occur in a text, in one pass over the text. Each literal is indexed by four of its
 * characters, preferably rare ones. The result may have false positives, but never false negatives.
 */

export type LiteralIndex = {
  /** Returns the positions of all literals that may occur in a text, in ascending order, without duplicates. */
  candidates: (text: string) => readonly number[]
}

/** Returns the index of literals. Texts and literals are ASCII. */
export function createLiteralIndex(literals: readonly string[]): LiteralIndex {
  const known = new Map<number, number[]>()
  /** Positions of literals that are too short for the index. */
  const always: number[] = []
  for (const [position, literal] of literals.entries()) {
    const rarest = gramsOf(literal).reduce((best, gram) => rarer(known, gram, best), -1)
    const positions = rarest === -1 ? always : known.get(rarest)
    if (positions !== undefined) positions.push(position)
    else known.set(rarest, [position])
  }
  return {
    candidates(text) {
      // A text may contain the same four characters thousands of times, and many literals may be indexed by them.
      const found = new Set<readonly number[]>()
      for (let at = 0, gram = 0; known.size > 0 && at < text.length; at++) {
        gram = next(gram, text.charCodeAt(at))
        const positions = at < 3 ? undefined : known.get(gram)
        if (positions !== undefined) found.add(positions)
      }
      return found.size === 0 ? always : [always, ...found].flat().sort((a, b) => a - b)
    },
  }
}

/** Packs four characters of seven bits each into one number. */
const next = (gram: number, code: number): number => ((gram << 7) | (code & 0x7f)) & 0xfffffff

function gramsOf(literal: string): number[] {
  let gram = 0
  const grams = Array.from(literal, character => {
    gram = next(gram, character.charCodeAt(0))
    return gram
  })
  return grams.slice(3)
}

const rarer = (known: Map<number, number[]>, gram: number, best: number): number =>
  best === -1 || (known.get(gram)?.length ?? 0) < (known.get(best)?.length ?? 0) ? gram : best
