/**
 * Detects crawler traps: URLs that look like one of endlessly many without new content. Each rule is independent,
 * gives its reason in words, and can be turned off. Each rather misses a trap than excludes a page of an honest site.
 *
 * Judging changes nothing. The memory depends only on the calls that record events, in their order. The seed is never
 * judged.
 */
import type { TrapRule } from '@tidemark/contracts/run'
import { type Address, addressOf } from './address.ts'
import { endlessCalendar, noteDate } from './calendar.ts'
import { equalContent, noteContent, noteLink } from './content.ts'
import type { TrapMemory } from './memory.ts'
import { explodedQuery, noteParameters, permutedQuery } from './parameters.ts'
import { repeatedPath, tooDeep } from './path.ts'
import { knownSession, noteSession } from './session.ts'

export type Trapped = { rule: TrapRule; because: string }

export type TrapInputs = {
  /** Number of links from the seed. The seed itself (0) is exempt. */
  depth: number
  /** Epoch milliseconds. */
  now: number
  /** Number of redirects from an admitted URL to this one, which replaces the admitted URL. */
  hops?: number
  /** Rules that are turned off. */
  off?: ReadonlySet<TrapRule> | undefined
}

/**
 * Returns the first rule that classifies a URL as a trap, or null.
 * @param url in normal form, and not recorded before
 */
export function judgeTrap(memory: TrapMemory, url: string, inputs: TrapInputs): Trapped | null {
  if (inputs.depth === 0) return null
  const address = addressOf(url)
  for (const { rule, judge, ofCopies = false } of rules) {
    if (inputs.off?.has(rule) || (ofCopies && (inputs.hops ?? 0) > 0)) continue
    const because = judge(memory, address, inputs.now)
    if (because !== null) return { rule, because }
  }
  return null
}

/** Judges a URL that waits to be fetched: since its admission, pages of its kind may have proved to be equal. */
export function judgeWaiting(memory: TrapMemory, url: string, off?: ReadonlySet<TrapRule>): Trapped | null {
  const because = off?.has('equal_content') ? null : equalContent(memory, addressOf(url))
  return because === null ? null : { rule: 'equal_content', because }
}

/**
 * Records an admitted URL. Call it once for each, including the seed.
 * @param from the key of the page that led to it
 */
export function noteAdmitted(memory: TrapMemory, { key, url, from }: Admitted): void {
  const address = addressOf(url)
  noteSession(memory, url, address)
  noteDate(memory, address)
  noteParameters(memory, address)
  noteLink(memory, address, key, from)
}

/** Records a fetched page. Call it once for each, except for errors and blocked pages, which may well be equal. */
export function noteSettled(memory: TrapMemory, { url, contentHash, likeness = null }: Settled): void {
  noteContent(memory, addressOf(url), contentHash, likeness)
}

type Admitted = { key: string; url: string; from: string | null }

/**
 * Both hashes in hexadecimal. The likeness covers a page's visible text without link texts and without the numbers in
 * its own URL, and its content besides text.
 */
type Settled = { url: string; contentHash: string; likeness?: string | null | undefined }

type Judge = (memory: TrapMemory, address: Address, now: number) => string | null

/**
 * `ofCopies`: the rule excludes copies of an admitted URL. The target of a redirect does not count as a copy of its
 * source, because the source has no page.
 */
const rules: { rule: TrapRule; judge: Judge; ofCopies?: true }[] = [
  { rule: 'path_depth', judge: (_, address) => tooDeep(address) },
  { rule: 'path_repetition', judge: (_, address) => repeatedPath(address) },
  { rule: 'session_id', judge: knownSession, ofCopies: true },
  { rule: 'parameters', judge: explodedQuery },
  { rule: 'parameters', judge: permutedQuery, ofCopies: true },
  { rule: 'calendar', judge: endlessCalendar },
  { rule: 'equal_content', judge: equalContent },
]
