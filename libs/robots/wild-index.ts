/**
 * Finds the patterns with wildcards that may match a path, in one pass over the path. Each pattern is indexed by four
 * consecutive characters that it requires, preferably rare ones. The result may have false positives, but never false
 * negatives.
 */
import type { Pattern } from './pattern.ts'

export type WildIndex = {
  /** Positions of patterns that are too short for the index. They may match every path. */
  always: readonly number[]
  /** Positions of the other patterns, by four of their characters. */
  known: ReadonlyMap<number, readonly number[]>
  /** Whether the pattern at this position may match the current path. */
  marks: Uint8Array
}

/**
 * Returns the index of patterns.
 * @param patterns Their literals are ASCII, and so are the paths.
 */
export function wildIndexOf(patterns: readonly Pattern[]): WildIndex {
  const known = new Map<number, number[]>()
  const always: number[] = []
  for (const [position, { head, middles, end }] of patterns.entries()) {
    let rarest = -1
    for (const gram of [head, ...middles, end ?? ''].flatMap(gramsOf)) {
      if (rarest === -1 || countOf(known, gram) < countOf(known, rarest)) rarest = gram
    }
    const positions = rarest === -1 ? always : known.get(rarest)
    // A copy for each pattern would take quadratic time.
    if (positions !== undefined) positions.push(position)
    else known.set(rarest, [position])
  }
  return { always, known, marks: new Uint8Array(patterns.length) }
}

/**
 * Returns the positions of all patterns that may match any of these paths, in ascending order, without duplicates.
 */
export function mayMatch({ always, known, marks }: WildIndex, ...paths: string[]): number[] {
  // A path may contain the same four characters thousands of times, and many patterns may be indexed by them.
  const seen = new Set<readonly number[]>()
  for (const path of paths) {
    let gram = 0
    for (let at = 0; at < path.length; at++) {
      gram = next(gram, path.charCodeAt(at))
      const positions = at >= gramLength - 1 ? known.get(gram) : undefined
      if (positions !== undefined) seen.add(positions)
    }
  }
  if (seen.size === 0) return [...always]
  marks.fill(0)
  for (const positions of [always, ...seen]) for (const position of positions) marks[position] = 1
  const found: number[] = []
  for (let position = marks.indexOf(1); position !== -1; position = marks.indexOf(1, position + 1))
    found.push(position)
  return found
}

const gramLength = 4

/** Packs four characters of seven bits each into one number. */
const next = (gram: number, code: number): number => ((gram << 7) | (code & 0x7f)) & 0xfffffff

function gramsOf(literal: string): number[] {
  let gram = 0
  const grams = Array.from(literal, character => {
    gram = next(gram, character.charCodeAt(0))
    return gram
  })
  return grams.slice(gramLength - 1)
}

const countOf = (known: ReadonlyMap<number, readonly number[]>, gram: number): number =>
  known.get(gram)?.length ?? 0
