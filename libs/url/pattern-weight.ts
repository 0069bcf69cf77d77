/**
 * The cost of a pattern, known before it is compiled: counted repetition multiplies, so that twelve characters can mean
 * a million instructions.
 */
import { literalOf } from './pattern-literals.ts'
import type { Token } from './pattern-tokens.ts'

/** An upper bound of the states that a pattern compiles to: `a{50}` weighs 52, `(?:a{50}b){20}` about 1,100. */
export function weightOf(tokens: Token[]): number {
  const open: Sum[] = []
  let sum = empty
  for (const { kind, text } of tokens) {
    if (kind === 'flags') continue
    if (kind === 'open') {
      open.push(sum)
      sum = empty
    } else if (kind === 'close') sum = plus(open.pop() ?? empty, sum.whole)
    else if (kind === 'repeat') sum = times(sum, text)
    else sum = plus(sum, kind === 'quoted' ? text.length : kind === 'or' ? orWeight : 1)
  }
  return open.reduce((weight, { whole }) => weight + whole, sum.whole)
}

/**
 * The part of a weight beyond the characters, groups, alternatives and anchors in the pattern's text: its classes and
 * repetitions, which keep many ways of matching open at once and so slow down a search.
 */
export function breadthOf(tokens: Token[]): number {
  return Math.max(0, weightOf(tokens) - tokens.reduce((sum, token) => sum + spelledOut(token), empty.whole))
}

function spelledOut(token: Token): number {
  if (token.kind === 'open') return empty.whole
  if (token.kind === 'or') return orWeight
  return isAnchor(token) ? 1 : (literalOf(token)?.length ?? 0)
}

const isAnchor = ({ kind, text }: Token): boolean =>
  kind === 'character' ? '^$'.includes(text) : kind === 'escape' && /^\\[bBAz]$/.test(text)

/** The totals of the current group, and of its last element, which a repetition repeats. */
type Sum = { whole: number; last: number }

const orWeight = 2

const empty: Sum = { whole: 3, last: 0 }

const plus = ({ whole }: Sum, weight: number): Sum => ({ whole: whole + weight, last: weight })

/** `{n}` is n copies; what `{n,m}` leaves open adds a fork for each copy, and a star or a plus adds one. */
function times({ whole, last }: Sum, repetition: string): Sum {
  const [, least = '1', open, most = ''] = /^\{(\d+)(,(\d*))?/.exec(repetition) ?? []
  const copies = Math.max(1, Number(least), Number(most))
  const forks = repetition.startsWith('{') && open === undefined ? 0 : copies
  const grown = last * copies + forks + 1
  return { whole: whole - last + grown, last: grown }
}
