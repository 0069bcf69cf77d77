/**
 * Patterns with which a client selects URLs: RE2 syntax, searched anywhere in path and query of a normal form, within
 * the first `maxSearched` characters. The time of a search is linear in the text, and the time and the size of
 * compiling are bounded for any pattern.
 * A normal form is ASCII. Other characters are searched as their escapes: `ä` finds `%C3%A4`.
 */
import { RE2JSException, RE2JSSyntaxException } from 're2js'
import { faultOf } from './pattern-faults.ts'
import {
  beyondLimit,
  broadest,
  maxPatternLength,
  maxPatterns,
  maxUnicodeClasses,
  narrow,
  unicodeClassesIn,
} from './pattern-limits.ts'
import { type Program, parseProgram } from './pattern-program.ts'
import { beginSearch, type Search } from './pattern-search.ts'
import { Automaton } from './pattern-tables.ts'
import { asciiOf, type Token, tokensOf } from './pattern-tokens.ts'
import { breadthOf } from './pattern-weight.ts'

/** The paths that a client includes and excludes. */
export type PatternLists = {
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
}

type Fault = {
  ok: false
  /** The fault, as a sentence for the author of the pattern. */
  because: string
}

export type Pattern = { ok: true; matches: (pathAndQuery: string) => boolean } | Fault

export type Checked = { ok: true } | (Fault & { list: keyof PatternLists; at: number })

/** Compiles one pattern; never throws. The empty pattern matches everything. */
export function compilePattern(text: string): Pattern {
  const compiled = compileTokens(text, tokensOf(text.slice(0, maxPatternLength)))
  if (!compiled.ok) return compiled
  const steps = { left: Number.POSITIVE_INFINITY }
  return { ok: true, matches: pathAndQuery => compiled.begin(pathAndQuery).go(steps) === true }
}

/** As `checkSteps`, without a pause. */
export const checkPatterns = (lists: PatternLists): Checked => {
  const steps = checkSteps(lists)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Whether these lists may be a client's; else why not, and which pattern of which list, from 0. Both share one
 * allowance. Pauses after each pattern: a thousand usual ones take some 50 ms.
 */
export function* checkSteps({ include = [], exclude = [] }: PatternLists): Generator<void, Checked> {
  let [breadth, unicodeClasses] = [0, 0]
  for (const [list, patterns] of [['include', include] as const, ['exclude', exclude] as const]) {
    for (const [at, text] of patterns.entries()) {
      const refused = (because: string) => ({ ok: false as const, list, at, because })
      if (at >= maxPatterns) return refused(`There are more than ${maxPatterns} patterns.`)
      const tokens = tokensOf(text.slice(0, maxPatternLength))
      const compiled = compileTokens(text, tokens)
      if (!compiled.ok) return refused(compiled.because)
      breadth += broadOf(tokens)
      if (breadth > broadest) return refused(tooBroad)
      unicodeClasses += unicodeClassesIn(tokens)
      if (unicodeClasses > maxUnicodeClasses) return refused(tooManyClasses)
      yield
    }
  }
  return { ok: true }
}

/** The breadth of a pattern that is not narrow, else 0. */
function broadOf(tokens: Token[]): number {
  const breadth = breadthOf(tokens)
  return breadth > narrow ? breadth : 0
}

const tooBroad = `With this one the patterns of include_paths and exclude_paths are too heavy together: their character classes and repetitions, counted ones written out, come to more than ${broadest} parts. Use fewer patterns, or * for a counted repetition: [^/]* for [^/]{0,700}.`

const tooManyClasses = `With this one include_paths and exclude_paths have more than ${maxUnicodeClasses} Unicode classes together. Addresses are searched in ASCII: write [A-Za-z] for \\pL.`

type Compiled =
  | {
      ok: true
      /** The tables are built when it is first searched. */
      begin: (pathAndQuery: string) => Search
    }
  | Fault

/**
 * Parses a pattern from its tokens.
 * @param memory approximate bytes for its tables; without memory the search is slower
 */
export function compileTokens(text: string, tokens: Token[], memory = maxTableMemory): Compiled {
  const limit = beyondLimit(text, tokens)
  if (limit !== null) return { ok: false, because: limit }
  try {
    let program: (() => Program) | null = parseProgram(tokens.map(spelling).join(''))
    let automaton: Automaton | null = null
    const compile = () => {
      const compiled = new Automaton((program as () => Program)(), memory)
      program = null
      return compiled
    }
    return {
      ok: true,
      begin(pathAndQuery) {
        automaton ??= compile()
        return beginSearch(automaton, pathAndQuery)
      },
    }
  } catch (error) {
    return { ok: false, because: becauseOf(tokens, error) }
  }
}

/** Bytes that the tables of one pattern may take. */
export const maxTableMemory = 128_000

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
