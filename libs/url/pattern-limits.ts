/** Limits the size of patterns, so that compiling and searching stay cheap. */
import type { Token } from './pattern-tokens.ts'
import { weightOf } from './pattern-weight.ts'

/** Maximum characters of one pattern. */
export const maxPatternLength = 2000

/** Maximum states of one pattern, with its counted repetitions expanded. */
export const maxPatternWeight = 2500

/** Maximum patterns in one list. */
export const maxPatterns = 1000

/** Maximum characters of path and query that a pattern is matched against. The rest is ignored. */
export const maxSearched = 2048

/**
 * Patterns up to this breadth (`breadthOf`) do not count towards `maxBreadth`: they keep few alternatives open at
 * once.
 */
export const narrowBreadth = 8

/**
 * Maximum breadth of all patterns of a request that are not narrow, in `include_paths` and `exclude_paths` together.
 * It bounds the time per address: with `maxSearched` characters, these parts are three million steps of a search, or
 * about 15 ms, in slices. Usual patterns take a thousandth of it.
 */
export const maxBreadth = 1500

/** Maximum Unicode classes, such as `\pL`, in one pattern. Each is a table of hundreds of ranges. */
const maxUnicodeClassesPerPattern = 50

/** Maximum Unicode classes in all patterns of a request. Reading one takes 0.1 ms. */
export const maxUnicodeClasses = 500

/** Returns a sentence about the limit that a pattern exceeds, or null. */
export function beyondLimit(
  pattern: string,
  tokens: Token[],
  searched: 'addresses' | 'text' = 'addresses',
): string | null {
  const all = searched === 'text' ? limits : [...limits, asciiOnly]
  return all.find(({ broken }) => broken(pattern, tokens))?.words ?? null
}

type Limit = { broken: (pattern: string, tokens: Token[]) => boolean; words: string }

const limits: Limit[] = [
  {
    broken: ({ length }) => length > maxPatternLength,
    words: `The pattern is longer than ${maxPatternLength} characters.`,
  },
  {
    broken: (_, tokens) => weightOf(tokens) > maxPatternWeight,
    words: `The pattern is too heavy: written out, its characters, groups, alternatives and repetitions are more than ${maxPatternWeight} parts.`,
  },
  {
    broken: (_, tokens) => unicodeClassesIn(tokens) > maxUnicodeClassesPerPattern,
    words: `The pattern has more than ${maxUnicodeClassesPerPattern} Unicode classes.`,
  },
]

const asciiOnly: Limit = {
  broken: (_, tokens) => tokens.some(beyondAscii),
  words:
    'The pattern has a character class or a code above ASCII: addresses are searched in their percent-encoded form, so write %C3%A4 for ä.',
}

export const unicodeClassesIn = (tokens: Token[]): number =>
  tokens.reduce((sum, token) => sum + unicodeClasses(token), 0)

const unicodeClasses = ({ kind, text }: Token): number =>
  kind === 'class' || kind === 'escape' ? text.split(/\\[pP]/).length - 1 : 0

/**
 * Returns whether a token contains characters that can never match. Only characters outside classes are
 * percent-encoded before they are compiled.
 */
const beyondAscii = ({ kind, text }: Token): boolean =>
  (kind === 'class' && /\P{ASCII}/u.test(text)) ||
  ((kind === 'class' || kind === 'escape') &&
    [...text.matchAll(/\\x\{([0-9a-fA-F]+)\}/g)].some(([, code = '']) => Number.parseInt(code, 16) > 0x7f))
