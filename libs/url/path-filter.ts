/**
 * Decides by the client's own patterns whether an address is crawled. Most patterns name a text that the address must
 * contain, so only a few of a thousand patterns are searched.
 */
import { createLiteralIndex } from './literal-index.ts'
import { maxSearched } from './pattern-limits.ts'
import { requiredLiteral } from './pattern-literals.ts'
import type { Steps } from './pattern-tables.ts'
import { tokensOf } from './pattern-tokens.ts'
import { compileTokens, finished, maxTableMemory, type PatternLists } from './patterns.ts'

export type PathFilter = {
  /**
   * Returns the reason why an address is excluded: the first exclude pattern that matches, or the lack of a matching
   * include pattern if there are any. null: the address is admitted. Only the first 2,048 characters of path and
   * query count. A longer address ends there, also for `$`.
   * @param url In normal form.
   */
  judge: (url: string) => Filtered | null
  /** Does the same as `judge`, and pauses after about `stepsPerSlice` steps, which is one or two milliseconds. */
  judgeSteps: (url: string, steps?: Steps) => Generator<void, Filtered | null>
  /** Approximate maximum bytes in memory. */
  memory: number
}

export type Filtered = { by: 'exclude'; pattern: string } | { by: 'include'; pattern: null }

/** Steps between two pauses. 100,000 steps take 0.5 ms, or 2 ms on a machine with four times its load. */
export const stepsPerSlice = 100_000

/** Creates a filter. Patterns that do not compile match nothing, so callers check the patterns of a client first. */
export function createPathFilter({ include = [], exclude = [] }: PatternLists): PathFilter {
  const perPattern = Math.min(maxTableMemory, Math.floor(tableMemory / (include.length + exclude.length)))
  const excludes = exclude.length > 0 ? createFinder(exclude, perPattern) : null
  const includes = include.length > 0 ? createFinder(include, perPattern) : null
  const characters = [...include, ...exclude].reduce((sum, { length }) => sum + length, 0)
  return {
    judge: url => finished(judgeSteps(url)),
    judgeSteps,
    memory:
      (include.length + exclude.length) * (perPattern + bytesPerPattern) + characters * bytesPerCharacter,
  }

  function* judgeSteps(
    url: string,
    steps: Steps = { left: stepsPerSlice },
  ): Generator<void, Filtered | null> {
    const path = pathOf(url)
    const excluded = excludes && (yield* excludes(path, steps))
    if (excluded !== null) return { by: 'exclude', pattern: excluded }
    return includes !== null && (yield* includes(path, steps)) === null
      ? { by: 'include', pattern: null }
      : null
  }
}

/** Maximum bytes for the tables of all patterns. */
const tableMemory = 8_000_000
/** Approximate bytes of a pattern and of each of its characters, without tables. */
const bytesPerPattern = 1_000
const bytesPerCharacter = 60

/** Steps per letter of a literal. Its native search is slow if long parts of it repeat in the path. */
const stepsPerLetter = 12
/** Steps per character for compiling a pattern. */
const compilingStepsPerCharacter = 500

type Finder = (path: string, steps: Steps) => Generator<void, string | null>

/** Returns a function that finds the first matching pattern. */
function createFinder(patterns: readonly string[], memory: number): Finder {
  const searches = patterns.map(text => searchOf(text, memory))
  const index = createLiteralIndex(searches.map(({ literal }) => literal))

  return function* (path, steps) {
    const lower = path.toLowerCase()
    const candidates = index.candidates(lower)
    steps.left -= path.length + candidates.length
    for (const at of candidates) {
      const { text, literal, begin } = searches[at] as PatternSearch
      steps.left -= 1 + stepsPerLetter * literal.length
      if (steps.left <= 0) {
        yield
        steps.left = stepsPerSlice
      }
      if (!lower.includes(literal)) continue
      const search = begin(path, steps)
      for (;;) {
        const isFound = search?.resume(steps)
        if (isFound) return text
        if (isFound === false || search === null) break
        yield
        steps.left = stepsPerSlice
      }
    }
    return null
  }
}

type PatternSearch = ReturnType<typeof searchOf>

/** Prepares a pattern. It is compiled at its first search, because most patterns are never searched. */
function searchOf(text: string, memory: number) {
  const tokens = tokensOf(text)
  let compiled: ReturnType<typeof compileTokens> | null = null
  return {
    text,
    literal: requiredLiteral(tokens),
    begin(path: string, steps: Steps) {
      if (compiled === null) {
        compiled = compileTokens(text, tokens, memory)
        steps.left -= compilingStepsPerCharacter * text.length
      }
      return compiled.ok ? compiled.begin(path) : null
    },
  }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return url.slice(start, start + maxSearched)
}
