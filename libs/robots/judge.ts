/**
 * Whether a crawler may visit a path (RFC 9309, 2.2.2): of all rules that match, the one with the most octets
 * decides, and of equal ones the one that allows. The order of the rules means nothing.
 */
import type { RobotsGroup, RobotsRule } from './file.ts'
import { literal, octetsOf, relaxedQuery } from './octets.ts'
import { isPrefix, matches, type Pattern, patternOf } from './pattern.ts'
import { longestPrefix, type Prefixes, prefixesOf } from './prefixes.ts'
import { mayMatch, type WildIndex, wildIndexOf } from './wild-index.ts'

/** `rule` is the pattern that decided, as the file has it, or why none could; null when none matched. */
export type Judgement = { allowed: boolean; rule: string | null }

type Weighed = RobotsRule & { octets: number }
type Wild = Weighed & { form: Pattern; relaxed: boolean }
/** Those with the most octets come first. Few are looked through faster than an index. */
type Compiled = {
  prefixes: Prefixes<Weighed>
  wild: Wild[]
  index: WildIndex | null
  /** Recent judgements by path: with many rules they are costly, and a link may be judged before its decision. */
  judged: Map<string, Judgement>
}
const few = 40

/**
 * Steps for a path, and more for each of its characters: some ten times what the rules of large sites take. Each link of a
 * page is held against all rules of its host, and both may be made to be slow.
 */
const stepsOfPath = 20_000
const stepsOfCharacter = 20

const tooCostly = 'rules with more wildcards than can be searched in this address'

/**
 * A path for which the rules cannot be searched in time is not allowed.
 * @param pathAndQuery As in the URL, from the first slash on. `/robots.txt` itself is always allowed.
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

/** As many as one decision is about. */
const maxJudged = 2_000

function judgementOf(rule: Weighed | null | undefined): Judgement {
  if (rule === undefined) return { allowed: false, rule: tooCostly }
  return rule === null ? { allowed: true, rule: null } : { allowed: rule.allow, rule: rule.pattern }
}

/** Null where none matches, undefined where that could not be found out. */
function decisive({ prefixes, wild, index }: Compiled, strict: string): Weighed | null | undefined {
  const steps = { left: stepsOfPath + stepsOfCharacter * strict.length }
  const relaxed = relaxedQuery(strict)
  const prefix = longestPrefix(prefixes, relaxed)
  // The first that matches is the only one to compare.
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

/** Compiling costs far more than judging, and a group judges every link of its host. */
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
  const index = wild.length > few ? wildIndexOf(wild.map(({ form }) => form)) : null
  return { prefixes: prefixesOf(byPrefix), wild, index, judged: new Map() }
}
