/**
 * Limits the rules that a crawl stores. A file is read completely (RFC 9309, 2.5) and may have tens of thousands of
 * rules. Each crawl stores them for each host and checks every link against them.
 */
import type { RobotsGroup, RobotsRule } from './file.ts'
import { isPrefix } from './pattern.ts'

/**
 * Ten times the number of rules of large sites. It is also about as many rules of usual length as fit into 500 KiB.
 */
const maxRules = 10_000
/** Maximum number of rules with `*` or `$`, each of which is searched in each address. */
const maxWild = 1_000
/** Maximum bytes of all rules as JSON. */
const maxBytes = 400 * 1024
/** Maximum characters of a pattern. No address is longer. */
const maxPatternLength = 8192

/**
 * Returns the group without rules that change no verdict: rules that cannot match, and duplicates. If the rest
 * exceeds the limits, rules that allow are dropped first, because to disallow too much is the safe side. Only if the rules
 * that disallow exceed the limits alone, the last of them are dropped too.
 */
export function bounded({ rules, ...rest }: RobotsGroup): RobotsGroup {
  const distinct = distinctRules(rules)
  const kept = asManyAs(distinct)
  if (kept.length === distinct.length) return { rules: distinct, ...rest }
  return { rules: asManyAs([...distinct].sort((a, b) => Number(a.allow) - Number(b.allow))), ...rest }
}

/** Returns the rules that may match a path, without duplicates. */
export const distinctRules = (rules: readonly RobotsRule[]): RobotsRule[] => [
  ...new Map(rules.filter(mayMatch).map(rule => [`${rule.allow} ${rule.pattern}`, rule])).values(),
]

/** Returns the approximate number of bytes of the rules in memory. */
export const memoryOf = ({ rules }: RobotsGroup): number =>
  rules.reduce((sum, { pattern }) => sum + pattern.length + bytesOfRule, 0)

const bytesOfRule = 64

/** Patterns that start with another character match nothing, because every path starts with a slash. */
const mayMatch = ({ pattern }: RobotsRule): boolean =>
  (pattern.startsWith('/') || pattern.startsWith('*')) && pattern.length <= maxPatternLength

function asManyAs(rules: RobotsRule[]): RobotsRule[] {
  let [count, wild, bytes] = [0, 0, 0]
  return rules.filter(rule => {
    const isWild = !isPrefix(rule.pattern)
    const size = Buffer.byteLength(JSON.stringify(rule))
    if (count >= maxRules || bytes + size > maxBytes || (isWild && wild >= maxWild)) return false
    count += 1
    bytes += size
    wild += Number(isWild)
    return true
  })
}
