/** Whether a URL that was found is crawled: the one place where admission is decided. */
import type { AskedRule } from '@tidemark/contracts/http/explain'
import type { FoundUrl, RunEvent } from '@tidemark/contracts/run'
import { judgePath } from '@tidemark/robots/judge'
import type { Filtered } from '@tidemark/url/path-filter'
import { inScope } from '@tidemark/url/scope'
import type { Decision } from './decision.ts'
import { filterOf } from './filter.ts'
import { originOf, type Running, slots } from './run.ts'
import { judgeTrap, type Trapped } from './traps/traps.ts'

/** So many URLs of one run are known at most, and so many characters of them; its memory, not the web, is what ends. */
export const mostKnown = 500_000
export const mostKnownText = 64_000_000

/**
 * Judges a URL and tells what comes of it. Known ones and those of other sites change nothing. The seed was asked for
 * by name: neither a pattern nor the look of a trap keeps it out.
 */
export function discover(decision: Decision, found: FoundUrl): void {
  const verdict = judge(decision, found)
  if (verdict) decision.emit(verdict)
}

/** What a rule is asked with. `isNew` is false for a URL that the run has judged before. */
export type Asking = Pick<Decision, 'run' | 'now' | 'trapsOff'> & { isNew: boolean }

/**
 * One of the rules. `against` gives what becomes of a URL that it holds up, null where nothing becomes of it, and
 * undefined where it has nothing against it.
 */
export type Rule = {
  rule: Exclude<AskedRule, 'redirect' | 'found'>
  against: (asking: Asking, found: FoundUrl) => RunEvent | null | undefined
}

/** All that decides on admission, in the order in which it is asked; the first that has anything against a URL decides. */
export const rules: readonly Rule[] = [
  { rule: 'scope', against: ({ run }, { url }) => (inScope(run.scope, url) ? undefined : null) },
  {
    rule: 'known',
    against: ({ run, isNew }, found) => (isNew || wasTooDeep(run, found) ? undefined : null),
  },
  {
    rule: 'frontier',
    against({ run, isNew }) {
      if (!isNew || (run.places.size < mostKnown && run.knownText < mostKnownText)) return undefined
      return run.isFull ? null : full(run)
    },
  },
  {
    rule: 'trap',
    against({ run, isNew, now, trapsOff }, found) {
      if (!isNew || run.traps === null) return undefined
      const trapped = judgeTrap(run.traps, found.url, { depth: found.depth, now, off: trapsOff })
      return trapped ? pruned(found, trapped) : undefined
    },
  },
  {
    rule: 'patterns',
    against({ run, isNew }, found) {
      const filtered = isNew && found.depth > 0 ? filterOf(run.settings)?.judge(found.url) : null
      return filtered ? leftOut(found, filtered) : undefined
    },
  },
  {
    rule: 'depth',
    against: ({ run }, found) => (found.depth > run.settings.depth ? deferred('depth', found) : undefined),
  },
  {
    rule: 'robots',
    against({ run }, found) {
      const forbidden = forbiddenBy(run, found.url)
      return forbidden ? skipped(found, forbidden) : undefined
    },
  },
  {
    rule: 'max_pages',
    against({ run, isNew }, found) {
      if (slots(run) > 0) return undefined
      return isNew ? deferred('max_pages', found) : null
    },
  },
]

/** Admitted, unless a rule has something against it. Null: nothing is new. */
function judge({ run, now, trapsOff }: Decision, found: FoundUrl): RunEvent | null {
  const asking = { run, now, trapsOff, isNew: !run.places.has(found.key) }
  for (const { against } of rules) {
    const verdict = against(asking, found)
    if (verdict !== undefined) return verdict
  }
  return admitted(found)
}

export const pruned = (found: FoundUrl, { rule, because }: Trapped): RunEvent => ({
  type: 'PagesPruned',
  data: { rule, pages: [{ ...mark(found), because }] },
})

const leftOut = (found: FoundUrl, { by, pattern }: Filtered): RunEvent => ({
  type: 'PagesFiltered',
  data: { by, pages: [{ ...mark(found), pattern: pattern && shown(pattern) }] },
})

const full = (run: Running): RunEvent => ({ type: 'FrontierFilled', data: { known: run.places.size } })

const admitted = (found: FoundUrl): RunEvent => ({ type: 'PagesAdmitted', data: { pages: [found] } })

const deferred = (limit: 'max_pages' | 'depth', found: FoundUrl): RunEvent => ({
  type: 'PagesDeferred',
  data: { limit, pages: [found] },
})

export const skipped = (found: FoundUrl, { reason, rule }: Forbidden): RunEvent => ({
  type: 'PagesSkipped',
  data: { reason, pages: [{ ...mark(found), rule }] },
})

/** Admits what waits behind `max_pages`, as far as slots have come back. */
export function refill(decision: Decision): void {
  const { run, emit, mayTell } = decision
  for (const found of run.deferred.max_pages.values()) {
    if (slots(run) <= 0 || !mayTell()) return
    const forbidden = forbiddenBy(run, found.url)
    emit(forbidden ? skipped(found, forbidden) : admitted(found))
  }
}

export type Forbidden = { reason: 'robots' | 'robots_unreachable'; rule: string | null }

/** What robots.txt has against a URL, or null. An origin whose robots.txt is not known yet has nothing against it. */
export function forbiddenBy({ settings, robots }: Running, url: string): Forbidden | null {
  if (!settings.respectRobots) return null
  const origin = originOf(url)
  const known = robots.get(origin)
  if (known?.state === 'failed') return { reason: 'robots_unreachable', rule: `robots.txt: ${known.reason}` }
  if (known?.state !== 'read' || known.verdict === 'allow_all') return null
  if (known.verdict === 'disallow_all') {
    return { reason: 'robots_unreachable', rule: `robots.txt answered ${known.status}` }
  }
  const { allowed, rule } = judgePath(known.group, url.slice(origin.length) || '/')
  return allowed ? null : { reason: 'robots', rule: rule && shown(rule) }
}

/** A pattern or a rule as an event names it: with each of thousands of URLs, and never longer than a few lines. */
const mostShown = 200
const shown = (rule: string): string => (rule.length <= mostShown ? rule : `${rule.slice(0, mostShown - 1)}…`)

/** Found before, but only by a way that was too long; now by a shorter one. */
const wasTooDeep = (run: Running, { key, depth }: FoundUrl): boolean =>
  run.deferred.depth.has(key) && depth <= run.settings.depth

const mark = ({ key, url, from }: FoundUrl) => ({ key, url, from })
