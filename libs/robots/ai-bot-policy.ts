/** Evaluates a robots.txt: its policy for each AI bot, and its verdict on one address for any crawler. */
import { aiBots } from './ai-bots.ts'
import { mayMatch } from './bounded.ts'
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
  const file = fileOf(robots)
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
 * Returns whether a crawler may visit an address.
 * @param userAgent A product token or a whole User-Agent.
 * @param pathAndQuery Path and query of the URL, starting with a slash.
 */
export function verdictFor(robots: string | RobotsFile, userAgent: string, pathAndQuery: string): Verdict {
  const file = fileOf(robots)
  const token = productTokenOf(userAgent)
  return { ...judgePath(groupFor(file, token), pathAndQuery), agent: agentFor(file, token) }
}

const fileOf = (robots: string | RobotsFile): RobotsFile =>
  typeof robots === 'string' ? parseRobots(robots) : robots

function agentFor({ groups }: RobotsFile, bot: string): string | null {
  const token = bot.toLowerCase()
  const isNamed = (agent: string): boolean => groups.some(({ agents }) => agents.includes(agent))
  if (token !== '' && isNamed(token)) return token
  return isNamed('*') ? '*' : null
}

/** Rules for all addresses decide the policy. A contrary rule for some addresses makes it `partial`. */
function policyOf({ rules, ...rest }: RobotsGroup): AiBotPolicy {
  const { allowed } = judgePath({ ...rest, rules: rules.filter(isForAll) }, '/')
  const isException = (rule: RobotsRule): boolean =>
    rule.allow !== allowed && mayMatch(rule) && !isForAll(rule)
  if (rules.some(isException)) return 'partial'
  return allowed ? 'allowed' : 'disallowed'
}

const isForAll = ({ pattern }: RobotsRule): boolean => /^(?:\/|\/?\*+\$?)$/.test(pattern)
