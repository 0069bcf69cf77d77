/**
 * Decides whether a crawler may visit a path (RFC 9309, 2.2.2). The matching rule with the most octets decides. If
 * several have the same length, a rule that allows wins. The order of the rules does not matter.
 */
import type { RobotsGroup, RobotsRule } from './file.ts'
import { literal, octetsOf, relaxedQuery } from './octets.ts'
import { isPrefix, matches, type Pattern, patternOf } from './pattern.ts'
import { longestPrefix, type Prefixes, prefixesOf } from './prefixes.ts'
import { mayMatch, type WildIndex, wildIndexOf } from './wild-index.ts'

/**
 * `rule` is the deciding pattern as written in the file, `tooCostly` if the rules could not be searched in time, or
 * null if no rule matched.
 */
export type Judgement = { allowed: boolean; rule: string | null }

type Weighed = RobotsRule & { octets: number }
type Wild = Weighed & { form: Pattern; relaxed: boolean }
/** Rules with the most octets come first. A linear search is faster than an index for up to `maxLinear` rules. */
type Compiled = {
  prefixes: Prefixes<Weighed>
  wild: Wild[]
  index: WildIndex | null
  /** Recent judgements by path. Many rules are slow to search, and a link may be judged several times. */
  judged: Map<string, Judgement>
}
const maxLinear = 40

/**
 * Maximum steps per path, plus more for each of its characters: about ten times the cost of the rules of large sites.
 * Each link of a page is compared with all rules of its host, and a site can make both slow on purpose.
 */
const maxStepsPerPath = 20_000
const maxStepsPerCharacter = 20

/** The `rule` of a path that is disallowed because the rules cannot be searched in time. No pattern equals it. */
export const tooCostly = 'rules with more wildcards than can be searched in this address'

/**
 * Returns the judgement of a path. If the rules cannot be searched in time, the path is disallowed.
 * @param pathAndQuery Path and query of the URL, starting with a slash. `/robots.txt` itself is always allowed.
 */
export function judgePath(group: RobotsGroup, pathAndQuery: string): Judgement {
  const path = pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`
  if (path === '/robots.txt') return { allowed: true, rule: null }
  const compiled = compiledOf(group.rules)
  const { judged, index } = compiled
  const known = judged.get(path)
  if (known !== undefined) return known
  const judgement = judgementOf(decisive(compiled, literal(octetsOf(path))))
  if (index === null) return judgement
  if (judged.size >= maxJudged) judged.clear()
  judged.set(path, judgement)
  return judgement
}

/** Maximum cached judgements, which is also the maximum number of links in one decision. */
const maxJudged = 2_000

function judgementOf(rule: Weighed | null | undefined): Judgement {
  if (rule === undefined) return { allowed: false, rule: tooCostly }
  return rule === null ? { allowed: true, rule: null } : { allowed: rule.allow, rule: rule.pattern }
}

/** Returns the deciding rule, null if none matches, or undefined if the search ran out of steps. */
function decisive({ prefixes, wild, index }: Compiled, strict: string): Weighed | null | undefined {
  const steps = { left: maxStepsPerPath + maxStepsPerCharacter * strict.length }
  const relaxed = relaxedQuery(strict)
  const prefix = longestPrefix(prefixes, relaxed)
  // Rules are sorted, so only the first match is compared.
  for (const rule of index === null ? wild : candidates(wild, index, strict, relaxed)) {
    if (prefix !== null && !outweighs(rule, prefix)) break
    const isMatch = matches(rule.form, rule.relaxed ? relaxed : strict, steps)
    if (isMatch === undefined) return undefined
    if (isMatch) return rule
  }
  return prefix
}

const candidates = (wild: Wild[], index: WildIndex, strict: string, relaxed: string): Wild[] =>
  mayMatch(index, ...(strict === relaxed ? [strict] : [strict, relaxed])).flatMap(at => wild[at] ?? [])

const outweighs = (a: Weighed, b: Weighed): boolean =>
  a.octets > b.octets || (a.octets === b.octets && a.allow && !b.allow)

/**
 * Caches compiled rules, because compiling costs far more than judging, and a group judges every link of its host.
 */
const compiled = new WeakMap<readonly RobotsRule[], Compiled>()

function compiledOf(rules: readonly RobotsRule[]): Compiled {
  const known = compiled.get(rules)
  if (known !== undefined) return known
  const fresh = compile(rules)
  compiled.set(rules, fresh)
  return fresh
}

function compile(rules: readonly RobotsRule[]): Compiled {
  const byPrefix = new Map<string, Weighed>()
  const wild: Wild[] = []
  for (const rule of rules) {
    const octets = relaxedQuery(octetsOf(rule.pattern))
    const weighed = { ...rule, octets: octets.length }
    if (octets === '') continue
    if (!isPrefix(octets)) wild.push({ ...weighed, form: patternOf(octets), relaxed: octets.includes('?') })
    else if (rule.allow || !byPrefix.has(literal(octets))) byPrefix.set(literal(octets), weighed)
  }
  wild.sort((a, b) => b.octets - a.octets || Number(b.allow) - Number(a.allow))
  const index = wild.length > maxLinear ? wildIndexOf(wild.map(({ form }) => form)) : null
  return { prefixes: prefixesOf(byPrefix), wild, index, judged: new Map() }
}
