/**
 * Reads robots.txt (RFC 9309, section 2.2). Every text is a robots.txt, so nothing fails. Unknown lines are skipped
 * and never end a group.
 */
import type { AgentGroup, RobotsFile } from './file.ts'
import { type Field, fieldOf } from './line.ts'
import { agentOf } from './token.ts'

/** Maximum characters of a file. RFC 9309, 2.5 requires at least 500 KiB. A line that the limit cuts is ignored. */
const limit = 500 * 1024

/** Maximum delay in seconds. Longer delays are a mistake of the site. */
const maxDelay = 86_400

/**
 * Returns the groups and sitemaps of a robots.txt.
 * @param body The whole text, of any length, with or without a byte order mark.
 */
export function parseRobots(body: string): RobotsFile {
  const groups: AgentGroup[] = []
  const sitemaps = new Set<string>()
  for (const line of linesOf(body)) {
    const field = fieldOf(line)
    if (field?.name === 'agent') nameAgent(groups, field.value)
    else if (field?.name === 'sitemap') sitemaps.add(field.value)
    else if (field !== null) extend(groups.at(-1), field)
  }
  return { groups, sitemaps: [...sitemaps].filter(url => url !== '') }
}

/** Returns the lines within the limit, without a byte order mark. */
export function linesOf(body: string): string[] {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body
  const lines = text.slice(0, limit).split(/\r\n|\r|\n/)
  return text.length > limit ? lines.slice(0, -1) : lines
}

/** Adds a name to the current group. A name after a rule starts the next group. */
function nameAgent(groups: AgentGroup[], value: string): void {
  const last = groups.at(-1)
  if (last !== undefined && last.rules.length === 0) last.agents.push(agentOf(value))
  else groups.push({ agents: [agentOf(value)], rules: [], delays: [] })
}

/** Adds a rule or delay to a group. Lines before the first name apply to no crawler. */
function extend(group: AgentGroup | undefined, { name, value }: Field): void {
  if (group === undefined) return
  if (name === 'delay') addDelay(group, value)
  else group.rules.push({ allow: name === 'allow', pattern: value })
}

/**
 * Adds a delay. A delay is not a rule of the RFC, so names after it join the same group, but the delay does not apply
 * to them.
 */
function addDelay({ agents, delays }: AgentGroup, value: string): void {
  if (!/^\d{0,9}\.?\d+$/.test(value)) return
  delays.push({ seconds: Math.min(Number(value), maxDelay), agents: agents.length })
}
