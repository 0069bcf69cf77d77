/**
 * Patterns in the text of pages, in RE2 syntax. Unlike the patterns of addresses they match Unicode, and the parts that
 * match are removed. The work is bounded: text beyond the bound stays as it is.
 */
import { RE2JS } from 're2js'
import { type Token, tokensOf } from './pattern-tokens.ts'
import { breadthOf } from './pattern-weight.ts'

export type TextPatterns = {
  /** Returns a line without the parts that match. */
  remove(line: string): string
}

/** Maximum characters of a line that is searched. */
const maxLine = 16_384
/** Maximum characters of all lines, each counted for each pattern by `unitsOf`: half a second of processor time. */
const maxUnits = 4_000_000
const breadthPerUnit = 8
/** Each alternative and group adds a state that the search follows at every character, so it counts like breadth. */
const breadthOfAlternative = 4
const breadthOfGroup = 2

/** Compiles valid patterns for the text of one page. Invalid ones match nothing. */
export function compileTextPatterns(patterns: readonly string[]): TextPatterns {
  const compiled = patterns.flatMap(text => {
    const pattern = compiledOf(text)
    return pattern === null ? [] : [{ pattern, units: unitsOf(tokensOf(text)) }]
  })
  let left = maxUnits
  return {
    remove(line) {
      if (line.length > maxLine) return line
      return compiled.reduce((rest, { pattern, units }) => {
        left -= rest.length * units
        return left < 0 ? rest : pattern.matcher(rest).replaceAll('')
      }, line)
    },
  }
}

/** Returns how much a character costs: one for a plain word. */
function unitsOf(tokens: Token[]): number {
  const count = (wanted: Token['kind']) => tokens.filter(({ kind }) => kind === wanted).length
  const spelledOut = breadthOfAlternative * count('or') + breadthOfGroup * count('open')
  return 1 + (breadthOf(tokens) + spelledOut) / breadthPerUnit
}

/** Patterns are checked when a crawl starts; the same few are compiled again for each of its pages. */
const cache = new Map<string, RE2JS | null>()
const maxCached = 200

function compiledOf(text: string): RE2JS | null {
  const known = cache.get(text)
  if (known !== undefined) return known
  const [oldest] = cache.keys()
  if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest)
  const pattern = tryCompile(text)
  cache.set(text, pattern)
  return pattern
}

function tryCompile(text: string): RE2JS | null {
  try {
    return RE2JS.compile(text)
  } catch {
    return null
  }
}
