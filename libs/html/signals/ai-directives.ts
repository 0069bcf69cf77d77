/**
 * Directives of a page and its response for AI bots: `<meta>` and `X-Robots-Tag` for a bot by name, `noai` and
 * `noimageai`, content signals, and the reservation of text and data mining (W3C TDMRep).
 */
import type { PageFacts } from '../page-facts.ts'
import { robotsRules } from './robots-tag.ts'

export type AiInputs = {
  /** Headers of the response, by name in any case. */
  headers: Readonly<Record<string, string | readonly string[]>>
  /** Returns whether a name is the product token of an AI bot. */
  isAiBot: (name: string) => boolean
}

export type AiDirectives = {
  /** Whether `noai` applies to all bots, by meta or header. */
  noai: boolean
  noimageai: boolean
  /** Directives of `<meta name=gptbot>` and the like, by the bot's name in lower case. */
  meta: Record<string, string[]>
  /** Directives of `X-Robots-Tag`, by the bot's name in lower case, `*` for all bots. */
  x_robots_tag: Record<string, string[]>
  /** `Content-Signal` (`search`, `ai-input`, `ai-train`): `yes` or `no`. */
  content_signals: Record<string, string>
  /** `Content-Usage` (IETF AIPREF): `y` or `n`. */
  content_usage: Record<string, string>
  /** Whether text and data mining is reserved, or null if nothing is stated. */
  tdm_reservation: boolean | null
  tdm_policy: string | null
}

/** Returns the directives of a page with these response headers. */
export function aiDirectivesOf(
  { robotsMeta, metas }: Pick<PageFacts, 'robotsMeta' | 'metas'>,
  { headers, isAiBot }: AiInputs,
): AiDirectives {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const values = (name: string): string[] => [fields.get(name) ?? []].flat()
  const stated = (name: string): string[] => [
    ...metas.filter(([meta]) => meta === name).map(([, content]) => content),
    ...values(name),
  ]
  const tag = robotsRules(values('x-robots-tag'))
  const everybody = new Set([...robotsMeta, ...(tag['*'] ?? [])])
  return {
    noai: everybody.has('noai'),
    noimageai: everybody.has('noimageai'),
    meta: metaRules(metas, isAiBot),
    x_robots_tag: tag,
    content_signals: preferences(values('content-signal'), /^([a-z][a-z-]*)=(yes|no)$/),
    content_usage: preferences(values('content-usage'), /^([a-z][a-z-]*)=([yn])$/),
    tdm_reservation: reservation(stated('tdm-reservation')),
    tdm_policy: stated('tdm-policy').map(policy => policy.trim())[0] || null,
  }
}

function metaRules(metas: PageFacts['metas'], isAiBot: AiInputs['isAiBot']): Record<string, string[]> {
  const rules = new Map<string, Set<string>>()
  for (const [name, content] of metas) {
    if (!isAiBot(name)) continue
    const known = rules.get(name) ?? new Set()
    rules.set(name, known)
    for (const rule of content.toLowerCase().split(',')) if (rule.trim() !== '') known.add(rule.trim())
  }
  return Object.fromEntries([...rules].map(([name, known]) => [name, [...known]]))
}

/** Returns the preferences. If two contradict each other, the one that forbids counts. */
function preferences(values: readonly string[], form: RegExp): Record<string, string> {
  const found = new Map<string, string>()
  for (const part of values.join(',').toLowerCase().split(/[,;]/)) {
    const [, name, answer] = form.exec(part.replace(/[ \t]+/g, '')) ?? []
    if (name !== undefined && answer !== undefined && !found.get(name)?.startsWith('n'))
      found.set(name, answer)
  }
  return Object.fromEntries(found)
}

/**
 * Returns the reservation (TDMRep, 3): `1` reserves, `0` does not. If two contradict each other, the one that
 * reserves counts.
 */
function reservation(values: readonly string[]): boolean | null {
  const stated = values.flatMap(value => value.split(',')).map(value => value.trim())
  if (stated.includes('1')) return true
  return stated.includes('0') ? false : null
}
