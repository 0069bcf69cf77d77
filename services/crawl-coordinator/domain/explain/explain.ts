/**
 * Explains why a run has a URL or not. For URLs that the run never saw, it evaluates the rules of admission. For
 * others it reports the event that decided, so that it cannot contradict the decision.
 */
import type { Explanation, RuleAnswer } from '@tidemark/contracts/http/explain'
import type { FoundUrl } from '@tidemark/contracts/run'
import type { StopReason } from '@tidemark/contracts/run-ends'
import { type Rule, type RuleInput, rules } from '../discover.ts'
import type { Running } from '../run.ts'
import { exclusionText, passedTexts, withoutEvent } from './because.ts'
import type { History, Ruling } from './history.ts'
import { ofEvent, ofHistory, ofNeverSeen, ofScope } from './remedies.ts'

type RunInput = Omit<RuleInput, 'isNew'>
type Url = { key: string; url: string }
type Account = Pick<Explanation, 'rules' | 'what_would_change'>

/**
 * Returns the explanation of a URL.
 * @param current the run now; an ended run as it was just before its end
 */
export function explain(current: RunInput, requested: Url, past: History): Explanation {
  const { found, attempts, pageId } = past
  const from = found?.from ?? null
  const redirects = redirectsThrough(requested, past)
  const isRedirect = past.redirects.has(requested.key)
  return {
    ...requested,
    verdict: past.verdict ?? 'never_seen',
    found: found && {
      from_url: from === null ? null : (past.urls.get(from)?.url ?? null),
      anchor: null,
      depth: found.depth,
      at: found.at,
      sequence: found.sequence,
    },
    ...(past.verdict === null
      ? explainNeverSeen(current, requested, past)
      : explainKnown(current, requested, past)),
    attempts,
    redirects,
    duplicate_of: (isRedirect && redirects.at(-1)?.to) || null,
    page_id: pageId,
  }
}

/**
 * Returns the explanation for a run without a start.
 * @param stopReason why it ended; null: it still waits for its start
 */
export const notBegun = (requested: Url, stopReason: StopReason | null): Explanation => ({
  ...requested,
  verdict: 'never_seen',
  found: null,
  rules: [
    {
      rule: 'found',
      passed: false,
      because:
        stopReason === null
          ? 'the run has not started'
          : `the run ended before it started, with stop_reason ${stopReason}`,
    },
  ],
  attempts: [],
  redirects: [],
  duplicate_of: null,
  page_id: null,
  what_would_change: [
    stopReason === null ? 'Try again when the run has started.' : 'A new crawl: this one never starts.',
  ],
})

/** Explains a URL that the run never saw, as if the seed linked to it. */
function explainNeverSeen(current: RunInput, { key, url }: Url, past: History): Account {
  const { run } = current
  const found: FoundUrl = { key, url, depth: 1, from: null, hops: 0 }
  const input = { ...current, isNew: true }
  const passed: RuleAnswer[] = []
  for (const { rule, against: exclude } of rules) {
    const event = exclude(input, found)
    if (event === undefined) passed.push({ rule, passed: true, because: passedTexts[rule](input, found) })
    else {
      const because = (event && exclusionText(run, event, url)) ?? withoutEvent[rule]?.(input, found) ?? ''
      const change = event ? ofEvent(run, event) : rule === 'scope' ? [ofScope(run, url)] : []
      return { rules: [...passed, { rule, passed: false, because }], what_would_change: change }
    }
  }
  const because = past.isSitemap ? 'it is a sitemap of this run, not a page' : noLink(run)
  return {
    rules: [...passed, { rule: 'found', passed: false, because }],
    what_would_change: past.isSitemap ? [] : ofNeverSeen(run),
  }
}

const noLink = ({ settings }: Running): string =>
  settings.seedKind === 'sitemap'
    ? 'no sitemap of this run lists it'
    : settings.followLinks === false
      ? 'follow_links is false, and urls does not list it'
      : 'no page of this run links to it with a link that the run follows'

/**
 * Explains a URL that the run judged, with the rules up to the deciding one. The texts of passed rules describe the
 * current state of the run. Robots.txt and a trap may exclude a URL after its admission, when it passed all rules.
 */
function explainKnown(current: RunInput, { key, url }: Url, past: History): Account {
  const { run } = current
  const { admitted, found: first, ruling } = past
  const found = admitted ?? { key, url, depth: first?.depth ?? 1, from: first?.from ?? null, hops: 0 }
  const input = { ...current, isNew: false }
  const decided = ruling && decidedBy(ruling)
  const evaluated = rules.slice(0, decided ? rules.findIndex(({ rule }) => rule === decided) : rules.length)
  const passed = (past.isSitemap || past.isListed) && !ruling ? [] : evaluated
  const answers: RuleAnswer[] = passed.map(({ rule }) => ({
    rule,
    passed: true,
    because: passedTexts[rule](input, found),
  }))
  if (decided) answers.push({ rule: decided, passed: false, because: exclusionText(run, ruling, url) ?? '' })
  const redirected = redirectedBy(key, past, ruling)
  if (redirected) answers.push({ rule: 'redirect', passed: false, because: redirected })
  return { rules: answers, what_would_change: ofHistory(run, past) }
}

/** Returns the rule that excluded the URL, or null if none did. */
function decidedBy(ruling: Ruling): Rule['rule'] | null {
  switch (ruling.type) {
    case 'PagesAdmitted':
      return null
    case 'PagesDeferred':
      return ruling.data.limit
    case 'PagesSkipped':
      return ruling.data.reason === 'redirect_out_of_scope' ? null : 'robots'
    case 'PagesFiltered':
      return 'patterns'
    case 'PagesPruned':
      return 'trap'
  }
}

function redirectedBy(key: string, { redirects, urls }: History, ruling: Ruling | null): string | null {
  const of = redirects.get(key)?.of
  if (of !== undefined) return `it redirects to ${urls.get(of)?.url ?? 'another URL of the run'}`
  const skipped = ruling?.type === 'PagesSkipped' && ruling.data.reason === 'redirect_out_of_scope'
  return skipped ? (ruling.data.pages[0]?.rule ?? '') : null
}

/** Returns the redirects that led to the URL and from it, each once. */
function redirectsThrough({ key }: Url, { urls, redirects }: History): Explanation['redirects'] {
  const chain = [key]
  for (
    let at = urls.get(key);
    at?.from && (at.hops ?? 0) > 0 && !chain.includes(at.from);
    at = urls.get(at.from)
  ) {
    chain.unshift(at.from)
  }
  for (let at = redirects.get(key); at && !chain.includes(at.of); at = redirects.get(at.of)) chain.push(at.of)
  return chain.slice(0, -1).flatMap((from, n) => {
    const redirect = redirects.get(from)
    const names = [from, chain[n + 1] ?? ''].map(key => urls.get(key)?.url ?? '')
    return redirect ? [{ from: names[0] ?? '', to: names[1] ?? '', at: redirect.at }] : []
  })
}
