/**
 * Decides whether a run admits a found URL. An admitted URL may still be excluded: limits/orderable.ts judges
 * robots.txt and traps again before the first request, and settle.ts skips redirects out of the site.
 */
import type { ExplainedRule } from '@tidemark/contracts/http/explain'
import { limitsOf } from '@tidemark/contracts/limits'
import type { FoundUrl, RunEvent } from '@tidemark/contracts/run'
import type { DeferringLimit } from '@tidemark/contracts/run-ends'
import { judgePath } from '@tidemark/robots/judge'
import type { Filtered } from '@tidemark/url/path-filter'
import { inScope } from '@tidemark/url/scope'
import type { Decision } from './circumstances.ts'
import { filteredBy } from './filter.ts'
import { slots, slotsOfChosen } from './limits/slots.ts'
import { originOf, type Running } from './run.ts'
import { judgeTrap, type Trapped } from './traps/traps.ts'

/** Maximum number of URLs that one run knows. It bounds its memory. */
export const maxKnown = 500_000
/**
 * Minimum and maximum of the total characters of these URLs, and the characters for each page that the run can fetch.
 */
const knownText = { min: 4_000_000, max: 64_000_000, perPage: 8_000 }

/**
 * Judges a URL and emits the event. Known URLs and those of other sites change nothing. The client requested the seed
 * explicitly, so neither patterns nor trap rules exclude it. Trap rules do not exclude listed URLs either: the list is
 * finite.
 */
export function discover(decision: Decision, found: FoundUrl): void {
  const verdict = judge(decision, found)
  if (verdict) decision.emit(verdict)
}

/**
 * Returns whether the rule `known` drops a URL at any depth. Most links of a site are known, so the caller checks this
 * before it judges a link.
 */
export const isKnownUrl = ({ states, deferred }: Running, key: string): boolean =>
  states.has(key) && !deferred.depth.has(key)

/**
 * Returns the maximum number of characters of the URLs that the run knows. The events of the run contain each URL, so a
 * run that can fetch few pages must not fill the stream. The daily cap of pages counts, because a client chooses
 * `max_pages` freely.
 */
export function maxKnownText({ tier, settings }: Pick<Running, 'tier' | 'settings'>): number {
  const { pagesPerDay } = limitsOf({ tier, ...settings })
  const pages = Math.min(settings.maxPages, pagesPerDay ?? settings.maxPages)
  return Math.min(Math.max(pages * knownText.perPage, knownText.min), knownText.max)
}

/** Returns whether the run can know no more URLs. The cheap check comes first, because a site has millions of links. */
function isFull(run: Running): boolean {
  if (run.states.size >= maxKnown) return true
  return run.knownText >= knownText.min && run.knownText >= maxKnownText(run)
}

/** The inputs of a rule. `isNew` is false for a URL that the run has judged before. */
export type RuleInput = Pick<Decision, 'run' | 'now' | 'trapsOff' | 'verdicts'> & { isNew: boolean }

/**
 * A rule of admission. `against` returns the event that excludes the URL. null: drop the URL. undefined: this rule
 * does not apply.
 */
export type Rule = {
  rule: Exclude<ExplainedRule, 'redirect' | 'found'>
  against: (input: RuleInput, found: FoundUrl) => RunEvent | null | undefined
}

/** All rules of admission in their order; the first that applies decides. */
export const rules: readonly Rule[] = [
  {
    rule: 'scope',
    against: ({ run }, { key, url }) => (isListed(run, key) || inScope(run.scope, url) ? undefined : null),
  },
  {
    rule: 'known',
    against: ({ run, isNew }, found) => (isNew || wasTooDeep(run, found) ? undefined : null),
  },
  {
    rule: 'frontier',
    against({ run, isNew }, { key }) {
      if (!isNew || isListed(run, key) || !isFull(run)) return undefined
      return run.isFull ? null : full(run)
    },
  },
  {
    rule: 'trap',
    against({ run, isNew, now, trapsOff }, found) {
      if (!isNew || run.traps === null || isListed(run, found.key)) return undefined
      const trapped = judgeTrap(run.traps, found.url, {
        depth: found.depth,
        hops: found.hops,
        now,
        off: trapsOff,
      })
      return trapped ? pruned(found, trapped) : undefined
    },
  },
  {
    rule: 'patterns',
    against({ run, isNew, verdicts }, found) {
      const filtered = isNew && found.depth > 0 ? filteredBy(run.settings, found.url, verdicts) : null
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
      return forbidden && !isSeedTarget(run, found) ? skipped(found, forbidden) : undefined
    },
  },
  {
    rule: 'max_pages',
    against({ run, isNew }, found) {
      const isChosen = found.depth === 0 || run.listed.waiting.has(found.key)
      if ((isChosen ? slotsOfChosen(run) : slots(run)) > 0) return undefined
      return isNew ? deferred('max_pages', found) : null
    },
  },
]

/** Returns the event that admits or excludes the URL. Null: the URL is dropped without an event. */
function judge({ run, now, trapsOff, verdicts }: Decision, found: FoundUrl): RunEvent | null {
  const input = { run, now, trapsOff, verdicts, isNew: !run.states.has(found.key) }
  for (const { against } of rules) {
    const verdict = against(input, found)
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
  data: { by, pages: [{ ...mark(found), pattern: pattern && truncated(pattern) }] },
})

const full = (run: Running): RunEvent => ({ type: 'FrontierFilled', data: { known: run.states.size } })

const admitted = (found: FoundUrl): RunEvent => ({ type: 'PagesAdmitted', data: { pages: [found] } })

const deferred = (limit: DeferringLimit, found: FoundUrl): RunEvent => ({
  type: 'PagesDeferred',
  data: { limit, pages: [found] },
})

export const skipped = (found: FoundUrl, { reason, rule }: Forbidden): RunEvent => ({
  type: 'PagesSkipped',
  data: { reason, pages: [{ ...mark(found), rule }] },
})

/** Admits URLs that `max_pages` has deferred, as many as there are free slots. */
export function refill(decision: Decision): void {
  const { run, emit, mayEmit } = decision
  for (const found of listedFirst(run)) {
    if (slots(run) <= 0 || !mayEmit()) return
    const forbidden = forbiddenBy(run, found.url)
    emit(forbidden ? skipped(found, forbidden) : admitted(found))
  }
}

/** Yields the URLs that `max_pages` has deferred, listed URLs first. Entries may be removed from the map meanwhile. */
function* listedFirst({ listed, deferred }: Running): Generator<FoundUrl, void> {
  const waiting = deferred.max_pages
  if (listed.keys.size > 0) for (const found of waiting.values()) if (listed.keys.has(found.key)) yield found
  yield* waiting.values()
}

export type Forbidden = { reason: 'robots' | 'robots_unreachable'; rule: string | null }

/**
 * Returns why robots.txt forbids a URL: the rule, or the failure of the file. Returns null if it is allowed, the file
 * is not known yet, or the run ignores robots.txt.
 */
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
  return allowed ? null : { reason: 'robots', rule: rule && truncated(rule) }
}

/**
 * Returns whether a URL is the target of the seed's redirect, and its robots.txt was read. If it is forbidden, it is
 * admitted nevertheless and skipped when it is due, because only the end of a pending seed is recorded as the reason of
 * the run's failure.
 */
const isSeedTarget = ({ robots }: Running, { depth, hops, url }: FoundUrl): boolean =>
  depth === 0 && hops > 0 && robots.get(originOf(url))?.state === 'read'

/** Maximum length of a pattern, rule or redirect target in an event, which has one for each of thousands of URLs. */
const maxShown = 200
/** Returns a text, truncated to that length. */
export const truncated = (rule: string): string =>
  rule.length <= maxShown ? rule : `${rule.slice(0, maxShown - 1)}…`

/** Returns whether the URL was found before at too great a depth, and now at an allowed one. */
const wasTooDeep = (run: Running, { key, depth }: FoundUrl): boolean =>
  run.deferred.depth.has(key) && depth <= run.settings.depth

/** Returns whether the client lists the URL besides the seed. The gateway has checked that it belongs to the site. */
export const isListed = ({ listed }: Running, key: string): boolean => listed.keys.has(key)

/** Returns whether the client requested the URL explicitly, so that trap rules do not exclude it. */
export const isExempt = (run: Running, { key, depth }: FoundUrl): boolean => depth === 0 || isListed(run, key)

const mark = ({ key, url, from }: FoundUrl) => ({ key, url, from })
