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
  return { always, known }
}

/** The positions of all that may match any of these paths, in ascending order, each once. */
export function mayMatch({ always, known }: WildIndex, ...paths: string[]): number[] {
  const found = new Set(always)
  for (const path of paths) {
    let gram = 0
    for (let at = 0; at < path.length; at++) {
      gram = next(gram, path.charCodeAt(at))
      for (const position of (at >= gramLength - 1 && known.get(gram)) || none) found.add(position)
    }
  }
  return found.size === always.length ? [...always] : [...found].sort((a, b) => a - b)
}

const gramLength = 4
const none: readonly number[] = []

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
