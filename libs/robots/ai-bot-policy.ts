/** Evaluates a robots.txt: its policy for each AI bot, and its verdict on one address for any crawler. */
import { aiBots } from './ai-bots.ts'
import { bounded, distinctRules, memoryOf } from './bounded.ts'
import type { RobotsFile, RobotsGroup, RobotsRule } from './file.ts'
import { groupFor } from './group.ts'
import { type Judgement, judgePath } from './judge.ts'
import { parseRobots } from './parse.ts'
import { productTokenOf } from './token.ts'

/**
 * `partial`: only some addresses are allowed. `unspecified`: no rule applies to the bot, neither by name nor by `*`.
 */
export type AiBotPolicy = 'allowed' | 'disallowed' | 'partial' | 'unspecified'

export type Verdict = Judgement & {
  /** Product token of the group that decided, `*`, or null if the file has a group for neither. */
  agent: string | null
}

/**
 * Returns the policy of each bot by its token. The rules for `*` apply to every bot without a group of its own (RFC
 * 9309, 2.2.1).
 * @param robots The text of robots.txt: empty if the site has no such file, or the part that was read.
 * @param bots Product tokens.
 */
export function aiBotPolicy(
  robots: string | RobotsFile,
  bots: readonly string[] = aiBots.map(({ token }) => token),
): Record<string, AiBotPolicy> {
  const { groups, sitemaps } = fileOf(robots)
  // Each group is reduced once, because it may apply to every bot.
  const file = { groups: groups.map(group => ({ ...group, rules: distinctRules(group.rules) })), sitemaps }
  const byAgent = new Map<string | null, AiBotPolicy>()
  const policies = bots.map((bot): [string, AiBotPolicy] => {
    const agent = agentFor(file, bot)
    const policy = byAgent.get(agent) ?? (agent === null ? 'unspecified' : policyOf(groupFor(file, agent)))
    byAgent.set(agent, policy)
    return [bot, policy]
  })
  return Object.fromEntries(policies)
}

/**
 * Returns whether a crawler may visit an address. Excessive rules are limited, as in a crawl.
 * @param userAgent A product token or a whole User-Agent.
 * @param pathAndQuery Path and query of the URL, starting with a slash.
 */
export function verdictFor(robots: string | RobotsFile, userAgent: string, pathAndQuery: string): Verdict {
  const file = fileOf(robots)
  const token = productTokenOf(userAgent)
  return { ...judgePath(bounded(groupFor(file, token)), pathAndQuery), agent: agentFor(file, token) }
}

const fileOf = (robots: string | RobotsFile): RobotsFile =>
  typeof robots === 'string' ? parseRobots(robots) : robots

function agentFor({ groups }: RobotsFile, bot: string): string | null {
  const token = bot.toLowerCase()
  const isNamed = (agent: string): boolean => groups.some(({ agents }) => agents.includes(agent))
  if (token !== '' && isNamed(token)) return token
  return isNamed('*') ? '*' : null
}

/**
 * Maximum bytes of rules that are judged one by one, about 100 rules: each is compared with all others. A larger group
 * with a contrary rule is `partial`.
 */
const maxJudged = 10_000

/** Rules for all addresses decide the policy. A contrary rule that decides about some addresses makes it `partial`. */
function policyOf(group: RobotsGroup): AiBotPolicy {
  const { rules } = group
  const allowed = allowsByDefault(rules)
  const contrary = rules.filter(rule => rule.allow !== allowed && !isForAll(rule) && !isForRobotsFile(rule))
  const decides = (rule: RobotsRule): boolean =>
    typicalPaths(rule).some(path => judgePath(group, path).allowed !== allowed)
  const isPartial = memoryOf(group) > maxJudged ? contrary.length > 0 : contrary.some(decides)
  if (isPartial) return 'partial'
  return allowed ? 'allowed' : 'disallowed'
}

/** Returns the decision of the rules that match every path: the longest one counts, and of equal ones the one that allows. */
function allowsByDefault(rules: readonly RobotsRule[]): boolean {
  let decisive: RobotsRule = { allow: true, pattern: '' }
  for (const rule of rules) {
    const excess = rule.pattern.length - decisive.pattern.length
    if (isForAll(rule) && (excess > 0 || (excess === 0 && rule.allow))) decisive = rule
  }
  return decisive.allow
}

/** Returns whether a rule matches every path. Each path starts with a slash. */
const isForAll = ({ pattern }: RobotsRule): boolean =>
  pattern !== '' && /^\**(?:\/\**)?(?:(?<=\*)\$)?$/.test(pattern)

/** Returns whether a rule is meant for /robots.txt, which is always allowed (RFC 9309, 2.2.2). */
const isForRobotsFile = ({ pattern }: RobotsRule): boolean => /^\/robots\.txt[*$]?$/.test(pattern)

/**
 * Returns paths that stand for all paths of a rule. `#` replaces each wildcard and the open end. No pattern has a `#`,
 * which starts a comment, so every rule that matches these paths matches all paths of this rule. /robots.txt is left
 * out, because it is always allowed.
 */
function typicalPaths({ pattern }: RobotsRule): string[] {
  const closed = pattern.endsWith('$') ? pattern.slice(0, -1) : `${pattern}*`
  const path = closed.replaceAll(/\*+/g, '#')
  const paths = path.startsWith('#') ? [`/${path}`, path.slice(1)] : [path]
  return paths.filter(path => path.startsWith('/') && path !== '/robots.txt')
}
