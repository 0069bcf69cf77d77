/**
 * Patterns by which a client selects the pages to crawl. They have RE2 syntax and match anywhere in path and query of
 * a normal form. A filter scans the first `maxSearched` characters. Searching takes time proportional to the text.
 * The time and the memory of compiling are bounded, even for hostile patterns.
 *
 * A normal form is ASCII. Other characters are searched as their escapes: `ä` finds `%C3%A4`.
 */
import { RE2JSException, RE2JSSyntaxException } from 're2js'
import { faultOf } from './pattern-faults.ts'
import {
  beyondLimit,
  maxBreadth,
  maxPatternLength,
  maxPatterns,
  maxUnicodeClasses,
  narrowBreadth,
  unicodeClassesIn,
} from './pattern-limits.ts'
import { type Program, parseProgram } from './pattern-program.ts'
import { Search } from './pattern-search.ts'
import { Automaton } from './pattern-tables.ts'
import { asciiOf, type Token, tokensOf } from './pattern-tokens.ts'
import { breadthOf } from './pattern-weight.ts'

/** Patterns of the pages to crawl, of the pages to skip, and of text that does not count. A filter ignores the latter. */
export type PatternLists = {
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
  text?: readonly string[] | undefined
}

type Fault = {
  ok: false
  /** Why the pattern is invalid, as a sentence for the person who wrote it. */
  because: string
}

export type Checked = { ok: true } | (Fault & { list: keyof PatternLists; at: number })

/** Does the same as `checkSteps`, without a pause. */
export const checkPatterns = (lists: PatternLists): Checked => finished(checkSteps(lists))

/** Takes all steps without a pause, and returns their result. */
export function finished<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Returns whether a client may use these lists, else the reason, the list and the position of the pattern, from 0.
 * All lists share one allowance. Pauses after each pattern: a thousand usual patterns take about 50 ms.
 */
export function* checkSteps({
  include = [],
  exclude = [],
  text: texts = [],
}: PatternLists): Generator<void, Checked> {
  let [breadth, unicodeClasses] = [0, 0]
  const lists = [['include', include] as const, ['exclude', exclude] as const, ['text', texts] as const]
  for (const [list, patterns] of lists) {
    for (const [at, text] of patterns.entries()) {
      const refused = (because: string) => ({ ok: false as const, list, at, because })
      if (at >= maxPatterns) return refused(`There are more than ${maxPatterns} patterns.`)
      const tokens = tokensOf(text.slice(0, maxPatternLength))
      const compiled = list === 'text' ? checkText(text, tokens) : compileTokens(text, tokens)
      if (!compiled.ok) return refused(compiled.because)
      breadth += countedBreadthOf(tokens)
      if (breadth > maxBreadth) return refused(tooBroad)
      unicodeClasses += unicodeClassesIn(tokens)
      if (unicodeClasses > maxUnicodeClasses) return refused(tooManyClasses)
      yield
    }
  }
  return { ok: true }
}

/** Returns the breadth of a pattern that is not narrow, else 0. */
function countedBreadthOf(tokens: Token[]): number {
  const breadth = breadthOf(tokens)
  return breadth > narrowBreadth ? breadth : 0
}

const tooBroad = `With this one the patterns of include_paths, exclude_paths and ignore_text are too heavy together: their character classes and repetitions, counted ones written out, come to more than ${maxBreadth} parts. Use fewer patterns, or * for a counted repetition: [^/]* for [^/]{0,700}.`

const tooManyClasses = `With this one include_paths, exclude_paths and ignore_text have more than ${maxUnicodeClasses} Unicode classes together. Addresses are searched in ASCII: write [A-Za-z] for \\pL.`

type Compiled =
  | {
      ok: true
      /** The tables are built at the first search. */
      begin: (pathAndQuery: string) => Search
    }
  | Fault

/**
 * Parses a pattern from its tokens.
 * @param memory Approximate maximum bytes of its tables. Searching is slower when they are full.
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
        return new Search(automaton, pathAndQuery)
      },
    }
  } catch (error) {
    return { ok: false, because: becauseOf(tokens, error) }
  }
}

/** Checks a pattern that is searched in text, which may be beyond ASCII. An empty match would remove nothing. */
function checkText(text: string, tokens: Token[]): { ok: true } | Fault {
  const limit = beyondLimit(text, tokens, 'text')
  if (limit !== null) return { ok: false, because: limit }
  try {
    parseProgram(text)
    return { ok: true }
  } catch (error) {
    return { ok: false, because: becauseOf(tokens, error) }
  }
}

/** Maximum bytes of the tables of one pattern. */
export const maxTableMemory = 128_000

/** Returns a token in the form that is compiled. */
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
