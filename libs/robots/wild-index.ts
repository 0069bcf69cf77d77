/**
 * Finds which of many patterns with wildcards may match a path, in one pass over the path: each is known by four
 * characters that it requires, those that fewest of the others do. It may name one too many, and never one too few.
 */
import type { Pattern } from './pattern.ts'

export type WildIndex = {
  /** Patterns that require too little to be known by, by their position: they may always match. */
  always: readonly number[]
  /** Positions of the others, by four of their characters. */
  known: ReadonlyMap<number, readonly number[]>
  /** By position: whether it may match the path that is looked at. */
  marks: Uint8Array
}

/** @param patterns Their literals are ASCII, and so are the paths. */
export function wildIndexOf(patterns: readonly Pattern[]): WildIndex {
  const known = new Map<number, number[]>()
  const always: number[] = []
  for (const [position, { head, middles, end }] of patterns.entries()) {
    let rarest = -1
    for (const gram of [head, ...middles, end ?? ''].flatMap(gramsOf)) {
      if (rarest === -1 || countOf(known, gram) < countOf(known, rarest)) rarest = gram
    }
    if (rarest === -1) always.push(position)
    else known.set(rarest, [...(known.get(rarest) ?? []), position])
  }
  return { always, known, marks: new Uint8Array(patterns.length) }
}

/** The positions of all that may match any of these paths, in ascending order, each once. */
export function mayMatch({ always, known, marks }: WildIndex, ...paths: string[]): number[] {
  // A path may hold the same four characters thousands of times, and many patterns may be known by them.
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

/** Four characters of seven bits in one number. */
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
