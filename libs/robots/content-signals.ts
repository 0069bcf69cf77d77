/**
 * Content signals in robots.txt (contentsignals.org) state the permitted uses of fetched content, for example
 * `Content-Signal: search=yes, ai-train=no`. Like rules, they apply to the names before them.
 */
import { fieldOf } from './line.ts'
import { linesOf } from './parse.ts'
import { agentOf } from './token.ts'

export type ContentSignals = Record<string, 'yes' | 'no'>

/** Limits far above real files: names of one group, signal lines, characters of a line, and signals for one name. */
const maxAgents = 1000
const maxLines = 500
const maxLineLength = 1000
const maxSignals = 20

type Signals = Map<string, 'yes' | 'no'>

/**
 * Returns the signals by product token (in lower case, `*` for all crawlers). If two contradict each other, `no`
 * wins.
 * @param body The text of a robots.txt.
 */
export function contentSignals(body: string): Record<string, ContentSignals> {
  const found = new Map<string, Signals>()
  let agents: string[] = []
  let ofAgents: Signals = new Map()
  let isOpen = false
  let left = maxLines
  for (const line of linesOf(body)) {
    const value = signalLine.exec(line)?.[1]
    const field = value === undefined ? fieldOf(line) : null
    if (field?.name === 'agent') {
      if (!isOpen) {
        addToAgents(found, agents, ofAgents)
        agents = []
        ofAgents = new Map()
      }
      isOpen = true
      if (agents.length < maxAgents) agents.push(agentOf(field.value))
    } else if (field?.name === 'allow' || field?.name === 'disallow') isOpen = false
    else if (value !== undefined) {
      isOpen = false
      left -= 1
      if (left < 0) break
      addSignals(ofAgents, value)
    }
  }
  addToAgents(found, agents, ofAgents)
  return Object.fromEntries([...found].map(([agent, signals]) => [agent, Object.fromEntries(signals)]))
}

const signalLine = /^[ \t]*content-signal[ \t]*:([^#]*)/i

function addSignals(signals: Signals, value: string): void {
  for (const part of value.slice(0, maxLineLength).split(/[,;]/, maxSignals)) {
    const [, name, answer] = /^\s*([a-z][a-z-]*)\s*=\s*(yes|no)\s*$/i.exec(part) ?? []
    if (name !== undefined)
      addSignal(signals, name.toLowerCase(), answer?.toLowerCase() === 'no' ? 'no' : 'yes')
  }
}

function addSignal(signals: Signals, name: string, answer: 'yes' | 'no'): void {
  const known = signals.get(name)
  if (known === 'no' || (known === undefined && signals.size >= maxSignals)) return
  signals.set(name, answer)
}

/** Adds signals to each of the names, in addition to their existing ones. */
function addToAgents(found: Map<string, Signals>, agents: string[], signals: Signals): void {
  if (signals.size === 0) return
  for (const agent of new Set(agents)) {
    const known = found.get(agent) ?? new Map<string, 'yes' | 'no'>()
    found.set(agent, known)
    for (const [name, answer] of signals) addSignal(known, name, answer)
  }
}
