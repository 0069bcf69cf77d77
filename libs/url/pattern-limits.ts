/** Limits of patterns beyond their syntax, so that compiling and searching stay cheap. */
import type { Token } from './pattern-tokens.ts'
import { weightOf } from './pattern-weight.ts'

/** Characters of one pattern. */
export const maxPatternLength = 2000

/** States of one pattern, its counted repetitions written out. */
export const heaviestPattern = 2500

/** Patterns in one list. */
export const maxPatterns = 1000

/** Characters of path and query that are searched; what comes after them is not looked at. */
export const maxSearched = 2048

/** A pattern of this breadth counts for nothing: it keeps few ways of matching open at once. */
export const narrow = 8

/**
 * Maximum weight of all patterns of a request that are not narrow, those of `include_paths` and `exclude_paths`
 * together. It bounds the time per URL: with `maxSearched` characters it is three million steps of a search, which take
 * 15 ms, in slices. Usual patterns take a thousandth of it.
 */
export const broadest = 1500

/** Unicode classes, such as `\pL`, in one pattern: each is a table of hundreds of ranges. */
const maxUnicodeClassesOfOne = 50

/** Unicode classes in all patterns of a request: to read one takes 0.1 ms. */
export const maxUnicodeClasses = 500

/** The limit that a pattern goes beyond, as a sentence; null when it keeps them all. */
export function beyondLimit(pattern: string, tokens: Token[]): string | null {
  return limits.find(({ broken }) => broken(pattern, tokens))?.words ?? null
}

type Limit = { broken: (pattern: string, tokens: Token[]) => boolean; words: string }

const limits: Limit[] = [
  {
    broken: ({ length }) => length > maxPatternLength,
    words: `The pattern is longer than ${maxPatternLength} characters.`,
  },
  {
    broken: (_, tokens) => weightOf(tokens) > heaviestPattern,
    words: `The pattern is too heavy: written out, its characters, groups, alternatives and repetitions are more than ${heaviestPattern} parts.`,
  },
  {
    broken: (_, tokens) => unicodeClassesIn(tokens) > maxUnicodeClassesOfOne,
    words: `The pattern has more than ${maxUnicodeClassesOfOne} Unicode classes.`,
  },
  {
    broken: (_, tokens) => tokens.some(beyondAscii),
    words:
      'The pattern has a character class or a code above ASCII: addresses are searched in their percent-encoded form, so write %C3%A4 for ä.',
  },
]

export const unicodeClassesIn = (tokens: Token[]): number =>
  tokens.reduce((sum, token) => sum + unicodeClasses(token), 0)

const unicodeClasses = ({ kind, text }: Token): number =>
  kind === 'class' || kind === 'escape' ? text.split(/\\[pP]/).length - 1 : 0

/** Characters outside classes are encoded before they are compiled; these could never match. */
const beyondAscii = ({ kind, text }: Token): boolean =>
  (kind === 'class' && /\P{ASCII}/u.test(text)) ||
  ((kind === 'class' || kind === 'escape') &&
    [...text.matchAll(/\\x\{([0-9a-fA-F]+)\}/g)].some(([, code = '']) => Number.parseInt(code, 16) > 0x7f))
