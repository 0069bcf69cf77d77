/**
 * Whether a URL looks like one of endlessly many that lead nowhere. Each rule stands by itself, says its reason
 * in words, and can be switched off; each prefers to miss a trap over losing a page of an honest site.
 *
 * Pure: judging changes nothing, and the memory follows from the calls that note what happened, in their order.
 * The seed is never judged.
 */
import type { TrapRule } from '@tidemark/contracts/run'
import { type Address, addressOf } from './address.ts'
import { farDate, noteDate } from './calendar.ts'
import { equalContent, noteContent, noteLink } from './content.ts'
import type { TrapMemory } from './memory.ts'
import { explodedQuery, noteParameters } from './parameters.ts'
import { repeatedPath, tooDeep } from './path.ts'
import { knownSession, noteSession } from './session.ts'

export type Trapped = { rule: TrapRule; because: string }

export type Circumstances = {
  /** Links from the seed; the seed itself has none and is exempt. */
  depth: number
  /** Epoch milliseconds. */
  now: number
  /** Rules that are switched off. */
  off?: ReadonlySet<TrapRule> | undefined
}

/**
 * The first rule that holds a URL for a trap, or null.
 * @param url In normal form, and not noted before.
 */
export function judgeTrap(memory: TrapMemory, url: string, circumstances: Circumstances): Trapped | null {
  if (circumstances.depth === 0) return null
  const address = addressOf(url)
  for (const { rule, judge } of rules) {
    if (circumstances.off?.has(rule)) continue
    const because = judge(memory, address, circumstances.now)
    if (because !== null) return { rule, because }
  }
  return null
}

/**
 * What was learnt since a URL was admitted: whether pages of its kind turned out to be all the same. For URLs
 * that still wait to be fetched.
 */
export function judgeWaiting(memory: TrapMemory, url: string, off?: ReadonlySet<TrapRule>): Trapped | null {
  const because = off?.has('equal_content') ? null : equalContent(memory, addressOf(url))
  return because === null ? null : { rule: 'equal_content', because }
}

/**
 * To be called once for each URL that is admitted, the seed included.
 * @param from The key of the page that led to it.
 */
export function noteAdmitted(memory: TrapMemory, { key, url, from }: Admitted): void {
  const address = addressOf(url)
  noteSession(memory, url, address)
  noteDate(memory, address)
  noteParameters(memory, address)
  noteLink(memory, address, key, from)
}

/**
 * To be called once for each page that was had: not for errors of the server, nor for pages that were blocked,
 * for these are rightly all the same.
 */
export function noteSettled(memory: TrapMemory, { url, contentHash, likeness = null }: Settled): void {
  noteContent(memory, addressOf(url), contentHash, likeness)
}

type Admitted = { key: string; url: string; from: string | null }

/**
 * Both hashes in hexadecimal. The likeness is of a page's visible text without that of its links, and without
 * the numbers that its own URL names.
 */
type Settled = { url: string; contentHash: string; likeness?: string | null | undefined }

type Judge = (memory: TrapMemory, address: Address, now: number) => string | null

const rules: { rule: TrapRule; judge: Judge }[] = [
  { rule: 'path_depth', judge: (_, address) => tooDeep(address) },
  { rule: 'path_repetition', judge: (_, address) => repeatedPath(address) },
  { rule: 'session_id', judge: knownSession },
  { rule: 'parameters', judge: explodedQuery },
  { rule: 'calendar', judge: farDate },
  { rule: 'equal_content', judge: equalContent },
]
