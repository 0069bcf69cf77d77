/**
 * Estimates the cost of a pattern before it is compiled. Counted repetitions multiply, so twelve characters can mean
 * a million instructions.
 */
import { literalOf } from './pattern-literals.ts'
import type { Token } from './pattern-tokens.ts'

/** Returns an upper bound of the states of a compiled pattern: `a{50}` weighs 52, `(?:a{50}b){20}` about 1,100. */
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
 * Returns the weight without the characters, groups, alternatives and anchors that the pattern spells out. The rest
 * are its classes and repetitions, which keep many alternatives open at once and make a search slow.
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

/** Weights of one group so far, and of its last element, which a repetition repeats. */
type Sum = { whole: number; last: number }

const orWeight = 2

const empty: Sum = { whole: 3, last: 0 }

const plus = ({ whole }: Sum, weight: number): Sum => ({ whole: whole + weight, last: weight })

/**
 * Returns the sum after a repetition. `{n}` means n copies. The optional part of `{n,m}` adds a fork per copy, and a
 * star or a plus adds one fork.
 */
function times({ whole, last }: Sum, repetition: string): Sum {
  const [, min = '1', open, max = ''] = /^\{(\d+)(,(\d*))?/.exec(repetition) ?? []
  const copies = Math.max(1, Number(min), Number(max))
  const forks = repetition.startsWith('{') && open === undefined ? 0 : copies
  const grown = last * copies + forks + 1
  return { whole: whole - last + grown, last: grown }
}
