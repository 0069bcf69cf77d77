/**
 * Finds the literals that may occur in a text, in one pass over the text. Each literal is indexed by four of its
 * characters, preferably rare ones. The result may have false positives, but never false negatives.
 */

export type LiteralIndex = {
  /** Positions of literals that are too short for the index, in ascending order. They may always occur. */
  always: readonly number[]
  /** Calls `found` with the index of each other literal that may occur, sometimes more than once. */
  scan: (text: string, found: (index: number) => void) => void
}

/** Returns the index of literals. Texts and literals are ASCII. */
export function createLiteralIndex(literals: readonly string[]): LiteralIndex {
  const known = new Map<number, number[]>()
  const always: number[] = []
  for (const [index, literal] of literals.entries()) {
    const rarest = gramsOf(literal).reduce((best, gram) => rarer(known, gram, best), -1)
    const indexes = rarest === -1 ? always : known.get(rarest)
    if (indexes !== undefined) indexes.push(index)
    else known.set(rarest, [index])
  }
  return {
    always,
    scan: (text, found) => {
      if (known.size === 0) return
      for (let at = 0, gram = 0; at < text.length; at++) {
        gram = next(gram, text.charCodeAt(at))
        const indexes = at < 3 ? undefined : known.get(gram)
        if (indexes !== undefined) for (const index of indexes) found(index)
      }
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
