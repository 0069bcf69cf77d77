/**
 * Decides by the client's own patterns whether an address is crawled. Most patterns name a text that the
 * address must contain, so that of a thousand of them only a few are searched.
 */
import { createLiteralIndex } from './literal-index.ts'
import { maxSearched } from './pattern-limits.ts'
import { requiredLiteral } from './pattern-literals.ts'
import type { Steps } from './pattern-tables.ts'
import { tokensOf } from './pattern-tokens.ts'
import { compileTokens, maxTableMemory, type PatternLists } from './patterns.ts'

export type PathFilter = {
  /**
   * Returns why a URL is excluded: the first exclude pattern that matches, or, with includes, that none of them
   * matches. Null admits it. Only the first 2,048 characters of path and query count: a longer URL ends there, even for
   * `$`.
   * @param url In normal form.
   */
  judge: (url: string) => Filtered | null
  /** As `judge`, with a pause whenever some `stepsOfPiece` steps are taken: after a millisecond or two. */
  judgeSteps: (url: string, steps?: Steps) => Generator<void, Filtered | null>
  /** Bytes that it may come to hold, about. */
  memory: number
}

export type Filtered = { by: 'exclude'; pattern: string } | { by: 'include'; pattern: null }

/** Steps between two pauses: 100,000 take half a millisecond, and 2 ms on a machine that has four times as much to do. */
export const stepsOfPiece = 100_000

/** A pattern that does not compile matches nothing. Callers check the patterns of clients first. */
export function createPathFilter({ include = [], exclude = [] }: PatternLists): PathFilter {
  const perPattern = Math.min(maxTableMemory, Math.floor(tableMemory / (include.length + exclude.length)))
  const excludes = exclude.length > 0 ? createFinder(exclude, perPattern) : null
  const includes = include.length > 0 ? createFinder(include, perPattern) : null
  const characters = [...include, ...exclude].reduce((sum, { length }) => sum + length, 0)
  return {
    judge: url => finished(judgeSteps(url)),
    judgeSteps,
    memory: (include.length + exclude.length) * (perPattern + aroundPattern) + characters * perCharacter,
  }

  function* judgeSteps(url: string, steps: Steps = { left: stepsOfPiece }): Generator<void, Filtered | null> {
    const path = pathOf(url)
    const excluded = excludes && (yield* excludes(path, steps))
    if (excluded !== null) return { by: 'exclude', pattern: excluded }
    return includes !== null && (yield* includes(path, steps)) === null
      ? { by: 'include', pattern: null }
      : null
  }
}

/** The result of steps that are taken without a pause. */
function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Maximum bytes for the tables of all patterns. */
const tableMemory = 8_000_000
/** About what a pattern takes beside them, and each of its characters. */
const aroundPattern = 1_000
const perCharacter = 60

/** Compiling a pattern, in steps for each of its characters. */
const compilingSteps = 500

type Finder = (path: string, steps: Steps) => Generator<void, string | null>

/** Answers the first of the patterns that matches. */
function createFinder(patterns: readonly string[], memory: number): Finder {
  const searches = patterns.map(text => searchOf(text, memory))
  const index = createLiteralIndex(searches.map(({ literal }) => literal))

  return function* (path, steps) {
    const lower = path.toLowerCase()
    const asked = [...index.always]
    index.scan(lower, found => asked.push(found))
    if (asked.length > index.always.length) asked.sort((a, b) => a - b)
    steps.left -= path.length + asked.length
    let last = -1
    for (const at of asked) {
      // The index may name one several times.
      if (at === last) continue
      last = at
      const { text, literal, begin } = searches[at] as PatternSearch
      steps.left -= 1 + literal.length
      if (!lower.includes(literal)) continue
      const search = begin(path, steps)
      for (;;) {
        const isFound = search?.go(steps)
        if (isFound) return text
        if (isFound === false || search === null) break
        yield
        steps.left = stepsOfPiece
      }
    }
    return null
  }
}

type PatternSearch = ReturnType<typeof searchOf>

/** It is parsed when it is first searched, for most never are. */
function searchOf(text: string, memory: number) {
  const tokens = tokensOf(text)
  let compiled: ReturnType<typeof compileTokens> | null = null
  return {
    text,
    literal: requiredLiteral(tokens),
    begin(path: string, steps: Steps) {
      if (compiled === null) {
        compiled = compileTokens(text, tokens, memory)
        steps.left -= compilingSteps * text.length
      }
      return compiled.ok ? compiled.begin(path) : null
    },
  }
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return url.slice(start, start + maxSearched)
}
