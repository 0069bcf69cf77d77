/**
 * Decides by the client's own patterns whether an address is crawled. Most patterns name a text that the
 * address must contain, so that of a thousand of them only a few are searched.
 */
import { createLiteralIndex } from './literal-index.ts'
import { mostSearched } from './pattern-limits.ts'
import { requiredLiteral } from './pattern-literals.ts'
import { tokensOf } from './pattern-tokens.ts'
import { broadOf, compileTokens } from './patterns.ts'

export type PathFilter = {
  /**
   * What keeps an address out: the first exclude pattern that matches, or, where there are includes, that none
   * of them does. Null lets it in. Only the first 2,048 characters of path and query count: an address that is longer
   * ends there, also for `$`.
   * @param url In normal form.
   */
  judge: (url: string) => Filtered | null
  /** As `judge`, with a pause after each search that may have taken long. */
  judgeSteps: (url: string) => Generator<void, Filtered | null>
}

export type Filtered = { by: 'exclude'; pattern: string } | { by: 'include'; pattern: null }

/** A pattern that does not compile matches nothing; whoever takes patterns from a client checks them first. */
export function createPathFilter(patterns: {
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
}): PathFilter {
  const include = patterns.include?.length ? createFinder(patterns.include) : null
  const exclude = patterns.exclude?.length ? createFinder(patterns.exclude) : null
  return { judge: url => finished(judgeSteps(url)), judgeSteps }

  function* judgeSteps(url: string): Generator<void, Filtered | null> {
    const path = pathOf(url)
    const excluded = exclude && (yield* exclude(path))
    if (excluded !== null) return { by: 'exclude', pattern: excluded }
    return include !== null && (yield* include(path)) === null ? { by: 'include', pattern: null } : null
  }
}

/** The result of steps that are taken without a pause. */
export function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Bytes that the tables of all patterns of one list may take, whoever wrote them. */
const tableMemory = 16_000_000

type Finder = (path: string) => Generator<void, string | null>

/** Answers the first of the patterns that matches. */
function createFinder(patterns: readonly string[]): Finder {
  const memory = Math.min(1_000_000, Math.floor(tableMemory / patterns.length))
  const searches = patterns.map(text => {
    const tokens = tokensOf(text)
    const compiled = compileTokens(text, tokens, memory)
    const matches = compiled.ok ? compiled.matches : never
    return { text, literal: requiredLiteral(tokens), matches, isBroad: broadOf(tokens) > 0 }
  })
  const index = createLiteralIndex(searches.map(({ literal }) => literal))

  return function* (path) {
    const asked = [...index.always]
    index.scan(path.toLowerCase(), found => asked.push(found))
    if (asked.length > index.always.length) asked.sort((a, b) => a - b)
    for (const at of asked) {
      const search = searches[at]
      if (search?.matches(path)) return search.text
      if (search?.isBroad) yield
    }
    return null
  }
}

const never = (): boolean => false

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return url.slice(start, start + mostSearched)
}
