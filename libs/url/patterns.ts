/**
 * The patterns with which a client says what to crawl: RE2 syntax, searched anywhere in path and query of
 * a normal form, of which a filter looks at the first `mostSearched` characters. Searching takes time proportional to the text, and both the time and the size of
 * compiling are bounded, whoever wrote the pattern.
 *
 * A normal form is all ASCII. A character beyond it is searched as its escape: `ä` finds `%C3%A4`.
 */
import { RE2JSException, RE2JSSyntaxException, RE2Set } from 're2js'
import { faultOf } from './pattern-faults.ts'
import { beyondLimit, broadestList, longestPattern, mostPatterns, narrow } from './pattern-limits.ts'
import { asciiOf, type Token, tokensOf } from './pattern-tokens.ts'
import { breadthOf } from './pattern-weight.ts'

export type Pattern =
  | { ok: true; matches: (pathAndQuery: string) => boolean }
  /** Why it is none, as a sentence for the person who wrote it. */
  | { ok: false; because: string }

/** Compiles one pattern; never throws. The empty pattern matches everything. */
export function compilePattern(text: string): Pattern {
  return compileTokens(text, tokensOf(text.slice(0, longestPattern)))
}

/**
 * Whether a list of patterns may be a client's; else why not, as a sentence, and which one, from 0.
 * Checking a thousand takes some 50 ms, once.
 */
export function checkPatterns(
  patterns: readonly string[],
): { ok: true } | { ok: false; at: number; because: string } {
  let breadth = 0
  for (const [at, text] of patterns.entries()) {
    if (at >= mostPatterns) return { ok: false, at, because: `There are more than ${mostPatterns} patterns.` }
    const pattern = compilePattern(text)
    if (!pattern.ok) return { ok: false, at, because: pattern.because }
    breadth += broadOf(tokensOf(text))
    if (breadth > broadestList) return { ok: false, at, because: tooBroad }
  }
  return { ok: true }
}

/** The breadth of a pattern that is not narrow, else 0. */
export function broadOf(tokens: Token[]): number {
  const breadth = breadthOf(tokens)
  return breadth > narrow ? breadth : 0
}

const tooBroad =
  'The patterns are too heavy together: use fewer of them, or fewer repetitions and character classes.'

/**
 * As `compilePattern`, of a pattern that was cut already. The tables are built when it is first searched.
 * @param memory Bytes that they may take; searching goes on more slowly without room.
 */
export function compileTokens(text: string, tokens: Token[], memory = 1_000_000): Pattern {
  const limit = beyondLimit(text, tokens)
  if (limit !== null) return { ok: false, because: limit }
  try {
    const set = new RE2Set(RE2Set.UNANCHORED, 0, memory)
    set.add(tokens.map(spelling).join(''))
    return { ok: true, matches: pathAndQuery => set.match(pathAndQuery).length > 0 }
  } catch (error) {
    return { ok: false, because: becauseOf(tokens, error) }
  }
}

/** A token as it is compiled. */
function spelling({ kind, text }: Token): string {
  const ascii = asciiOf(text)
  return ascii !== text && kind === 'character' ? `(?:${ascii})` : ascii
}

function becauseOf(tokens: Token[], error: unknown): string {
  if (error instanceof RE2JSSyntaxException) {
    return faultOf(tokens, error.getDescription(), error.getPattern() ?? '')
  }
  if (error instanceof RE2JSException) return `The pattern is not valid: ${error.message}.`
  throw error
}
