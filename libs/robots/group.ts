/** Selects the part of a robots.txt that applies to one crawler (RFC 9309, 2.2.1). */
import type { AgentGroup, RobotsFile, RobotsGroup } from './file.ts'
import { tokenOf } from './token.ts'

/**
 * Returns the rules for a crawler: all groups that name it, else all groups for `*`, else no rules. Rules for `*` are
 * never added to rules for a name.
 * @param productToken Case is ignored, and so is the text after the token (`/1.0`).
 */
export function groupFor(file: RobotsFile, productToken: string): RobotsGroup {
  const own = tokenOf(productToken)
  const agent = own !== '' && file.groups.some(({ agents }) => agents.includes(own)) ? own : '*'
  const groups = file.groups.filter(({ agents }) => agents.includes(agent))
  const delays = groups.flatMap(group => delaysOf(group, agent))
  const [first] = groups
  // A single group keeps its array, which is the key of its compiled form.
  const rules =
    groups.length === 1 && first !== undefined ? first.rules : groups.flatMap(group => group.rules)
  const crawlDelay = delays.length === 0 ? null : delays.reduce((a, b) => Math.max(a, b))
  return { rules, crawlDelay, ...(first !== undefined && { agent }) }
}

function delaysOf({ agents, delays }: AgentGroup, agent: string): number[] {
  const position = agents.indexOf(agent)
  return delays.filter(delay => position < delay.agents).map(delay => delay.seconds)
}
