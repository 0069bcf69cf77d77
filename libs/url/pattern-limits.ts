/** What a pattern may not be, although its syntax allows it, so that compiling and searching stay cheap. */
import type { Token } from './pattern-tokens.ts'
import { weightOf } from './pattern-weight.ts'

/** Characters of one pattern. */
export const longestPattern = 2000

/** States of one pattern, its counted repetitions written out. */
export const heaviestPattern = 2500

/** Patterns in one list. */
export const mostPatterns = 1000

/** Characters of path and query that are searched; what comes after them is not looked at. */
export const mostSearched = 2048

/** A pattern of this breadth is searched by a table that is always small. */
export const narrow = 8

/**
 * What all patterns of one list that are not narrow may keep open at once. This bounds the time that one address
 * takes: at `mostSearched` characters the worst lists we know take half a second, in pieces of some 30 ms, and usual
 * ones a thousandth of it.
 */
export const broadestList = 1500

/** Unicode classes, such as `\pL`, in one pattern: each is a table of hundreds of ranges. */
const mostUnicodeClasses = 50

/** The limit that a pattern goes beyond, as a sentence; null when it keeps them all. */
export function beyondLimit(pattern: string, tokens: Token[]): string | null {
  return limits.find(({ broken }) => broken(pattern, tokens))?.words ?? null
}

type Limit = { broken: (pattern: string, tokens: Token[]) => boolean; words: string }

const limits: Limit[] = [
  {
    broken: ({ length }) => length > longestPattern,
    words: `The pattern is longer than ${longestPattern} characters.`,
  },
  {
    broken: (_, tokens) => weightOf(tokens) > heaviestPattern,
    words: `The pattern is too heavy: written out, its characters, groups, alternatives and repetitions are more than ${heaviestPattern} parts.`,
  },
  {
    broken: (_, tokens) => tokens.reduce((sum, token) => sum + unicodeClasses(token), 0) > mostUnicodeClasses,
    words: `The pattern has more than ${mostUnicodeClasses} Unicode classes.`,
  },
  {
    broken: (_, tokens) => tokens.some(beyondAscii),
    words:
      'The pattern has a character class or a code above ASCII: addresses are searched in their percent-encoded form, so write %C3%A4 for ä.',
  },
]

const unicodeClasses = ({ kind, text }: Token): number =>
  kind === 'class' || kind === 'escape' ? text.split(/\\[pP]/).length - 1 : 0

/** Characters outside classes are encoded before they are compiled; these could never match. */
const beyondAscii = ({ kind, text }: Token): boolean =>
  (kind === 'class' && /\P{ASCII}/u.test(text)) ||
  ((kind === 'class' || kind === 'escape') &&
    [...text.matchAll(/\\x\{([0-9a-fA-F]+)\}/g)].some(([, code = '']) => Number.parseInt(code, 16) > 0x7f))
