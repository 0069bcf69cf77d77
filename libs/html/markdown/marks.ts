/** Marks of a range of text: emphasis, a link, and the few tags without a sign in Markdown. */
import type { Element } from 'domhandler'

export type MarkKind = 'strong' | 'em' | 'del' | 'sub' | 'sup' | 'kbd' | 'mark' | 'link'

/** A mark and those around it. Marks are immutable, so that texts can share them. */
export type Mark = {
  kind: MarkKind
  /** The element that made it. */
  owner: Element
  around: Mark | null
  depth: number
  /** The part after the text of a link, in Markdown. */
  target: string
}

type Sign = { open: string; close: string; flanking: boolean }

/** `flanking`: whether the delimiter is effective only next to certain characters (CommonMark, 6.2). */
export const signs: Readonly<Record<MarkKind, Sign>> = {
  strong: { open: '**', close: '**', flanking: true },
  em: { open: '*', close: '*', flanking: true },
  del: { open: '~~', close: '~~', flanking: true },
  sub: { open: '<sub>', close: '</sub>', flanking: false },
  sup: { open: '<sup>', close: '</sup>', flanking: false },
  kbd: { open: '<kbd>', close: '</kbd>', flanking: false },
  mark: { open: '<mark>', close: '</mark>', flanking: false },
  link: { open: '[', close: ']', flanking: false },
}

/** Returns the marks with another one inside, or the same marks if one of that kind exists. */
export function withMark(around: Mark | null, kind: MarkKind, owner: Element, target = ''): Mark | null {
  if (isMarked(around, kind)) return around
  return { kind, owner, around, depth: (around?.depth ?? 0) + 1, target }
}

/** Returns whether a mark of that kind is among these. */
export function isMarked(marks: Mark | null, kind: MarkKind): boolean {
  for (let mark = marks; mark !== null; mark = mark.around) if (mark.kind === kind) return true
  return false
}

/** Returns the marks that both have. */
export function commonMarks(one: Mark | null, other: Mark | null): Mark | null {
  let [a, b] = [one, other]
  while (a !== b) {
    if (a === null || b === null) return null
    if (a.depth >= b.depth) a = a.around
    else b = b.around
  }
  return a
}

/** Returns the marks from the outermost to the innermost. */
export function marksInOrder(marks: Mark | null): readonly Mark[] {
  if (marks === null) return none
  const all: Mark[] = []
  for (let mark: Mark | null = marks; mark !== null; mark = mark.around) all.push(mark)
  return all.reverse()
}

/** Returns whether two marks need no delimiter between their texts. */
export const continues = (a: Mark | undefined, b: Mark | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.kind === b.kind && a.kind !== 'link')

const none: readonly Mark[] = []
