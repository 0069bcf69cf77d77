/**
 * Decides by the client's own patterns whether an address is crawled. Most patterns name a text that the
 * address must contain, so that of a thousand of them only a few are searched.
 */
import { createLiteralIndex } from './literal-index.ts'
import { requiredLiteral } from './pattern-literals.ts'
import { tokensOf } from './pattern-tokens.ts'
import { compileTokens } from './patterns.ts'

export type PathFilter = {
  /**
   * What keeps an address out: the first exclude pattern that matches, or, where there are includes, that none
   * of them does. Null lets it in.
   * @param url In normal form.
   */
  judge: (url: string) => Filtered | null
}

export type Filtered = { by: 'exclude'; pattern: string } | { by: 'include'; pattern: null }

/** A pattern that does not compile matches nothing; whoever takes patterns from a client checks them first. */
export function createPathFilter(patterns: {
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
}): PathFilter {
  const include = patterns.include?.length ? createFinder(patterns.include) : null
  const exclude = patterns.exclude?.length ? createFinder(patterns.exclude) : null
  return {
    judge: url => {
      const path = pathOf(url)
      const excluded = exclude?.(path) ?? null
      if (excluded !== null) return { by: 'exclude', pattern: excluded }
      return include !== null && include(path) === null ? { by: 'include', pattern: null } : null
    },
  }
}

/** Bytes that the tables of all patterns of one list may take, whoever wrote them. */
const tableMemory = 16_000_000

/** Answers the first of the patterns that matches. */
function createFinder(patterns: readonly string[]): (path: string) => string | null {
  const memory = Math.min(1_000_000, Math.floor(tableMemory / patterns.length))
  const searches = patterns.map(text => {
    const tokens = tokensOf(text)
    const compiled = compileTokens(text, tokens, memory)
    return { text, literal: requiredLiteral(tokens), matches: compiled.ok ? compiled.matches : never }
  })
  const index = createLiteralIndex(searches.map(({ literal }) => literal))

  return path => {
    const asked = [...index.always]
    index.scan(path.toLowerCase(), found => asked.push(found))
    if (asked.length > index.always.length) asked.sort((a, b) => a - b)
    for (const at of asked) {
      const search = searches[at]
      if (search?.matches(path)) return search.text
    }
    return null
  }
}

const never = (): boolean => false

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))
