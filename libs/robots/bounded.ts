/**
 * The part of the rules that a crawl keeps. A file is read whole (RFC 9309, 2.5), and may have tens of thousands of
 * rules. Each crawl keeps them for each host, and checks every link against them.
 */
import type { RobotsGroup, RobotsRule } from './file.ts'
import { isPrefix } from './pattern.ts'

/** Ten times what large sites have, and as many as fit into the 500 KiB that are read where they are of usual length. */
const maxRules = 10_000
/** Of these, with `*` or `$`: each is searched in each address. */
const maxWild = 1_000
/** Bytes as JSON, all of them together. */
const maxBytes = 400 * 1024
/** Characters of a pattern; no address is longer. */
const maxPatternLength = 8192

/**
 * The group without what changes no verdict: rules that can match nothing, and repetitions. Where that is still more
 * than can be kept, rules that allow go first, and then the last of the others: rather too much is forbidden.
 */
export function bounded({ rules, ...rest }: RobotsGroup): RobotsGroup {
  const effective = rules.filter(mayMatch)
  const distinct = [...new Map(effective.map(rule => [`${rule.allow} ${rule.pattern}`, rule])).values()]
  const kept = asManyAs(distinct)
  if (kept.length === distinct.length) return { rules: distinct, ...rest }
  return { rules: asManyAs([...distinct].sort((a, b) => Number(a.allow) - Number(b.allow))), ...rest }
}

/** About as many bytes as the rules take in memory. */
export const roomOf = ({ rules }: RobotsGroup): number =>
  rules.reduce((sum, { pattern }) => sum + pattern.length + bytesOfRule, 0)

const bytesOfRule = 64

/** Every path begins with a slash. */
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
