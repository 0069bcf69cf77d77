/**
 * Content signals in robots.txt (contentsignals.org): what may be done with the content once it was fetched, such
 * as `Content-Signal: search=yes, ai-train=no`. They are for the names that stand before them, like rules.
 */
import { fieldOf } from './line.ts'
import { linesOf } from './parse.ts'
import { agentOf } from './token.ts'

export type ContentSignals = Record<string, 'yes' | 'no'>

/** Far more than there are: names that share a line, and lines. */
const mostAgents = 1000
const mostLines = 500

/**
 * The signals by product token (in lower case, `*` for everybody). Of two that contradict, `no` counts.
 * @param body The text of a robots.txt.
 */
export function contentSignals(body: string): Record<string, ContentSignals> {
  const found = new Map<string, Map<string, 'yes' | 'no'>>()
  let agents: string[] = []
  let isOpen = false
  let left = mostLines
  for (const line of linesOf(body)) {
    const value = signalLine.exec(line)?.[1]
    const field = value === undefined ? fieldOf(line) : null
    if (field?.name === 'agent') {
      if (!isOpen) agents = []
      isOpen = true
      if (agents.length < mostAgents) agents.push(agentOf(field.value))
    } else if (field?.name === 'allow' || field?.name === 'disallow') isOpen = false
    else if (value !== undefined) {
      isOpen = false
      left -= 1
      if (left < 0) break
      for (const agent of agents) addSignals(found, agent, value)
    }
  }
  return Object.fromEntries([...found].map(([agent, signals]) => [agent, Object.fromEntries(signals)]))
}

/** The signals for one bot: its own, or else those for everybody. */
export function contentSignalsFor(signals: Record<string, ContentSignals>, token: string): ContentSignals {
  const own = token.toLowerCase()
  return (Object.hasOwn(signals, own) ? signals[own] : signals['*']) ?? {}
}

const signalLine = /^[ \t]*content-signal[ \t]*:([^#]*)/i

function addSignals(found: Map<string, Map<string, 'yes' | 'no'>>, agent: string, value: string): void {
  const signals = found.get(agent) ?? new Map<string, 'yes' | 'no'>()
  found.set(agent, signals)
  for (const part of value.split(/[,;]/)) {
    const [, name, answer] = /^\s*([a-z][a-z-]*)\s*=\s*(yes|no)\s*$/i.exec(part) ?? []
    if (name === undefined) continue
    const isNo = answer?.toLowerCase() === 'no' || signals.get(name.toLowerCase()) === 'no'
    signals.set(name.toLowerCase(), isNo ? 'no' : 'yes')
  }
}
