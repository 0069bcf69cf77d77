/** Applies the outcome of an order to the run: a page, a duplicate, another attempt, or a failure. */
import type { Scope } from '@tidemark/contracts/run'
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { inScope, scopeOf } from '@tidemark/url/scope'
import type { Decision } from './circumstances.ts'
import { discover } from './discover.ts'
import { answerOf, isFirstAnswer, isServerError, recheckLater, settleWith } from './recheck.ts'
import { goOnPlainly, isOfItsLane, isToBeRendered, render } from './rendering.ts'
import { attemptAfter } from './retry.ts'
import { settleRobots } from './robots.ts'
import { hasAllParts, type Pending, type Running } from './run.ts'
import { followSitemap, retryOrFailSitemap, settleSitemap } from './sitemaps.ts'

const maxHops = 10

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>
type OfPage = Of<'page' | 'links' | 'redirect' | 'failed'>

/** Judges the links of an outcome, after all outcomes of the decision are settled. */
type Then = (() => void) | undefined

/**
 * Settles outcomes; one that the run does not wait for changes nothing. First the orders are settled, then their links
 * are judged: in the order in which the events will be read again.
 */
export function settleAll(decision: Decision, outcomes: Outcome[]): void {
  const found = outcomes.map(outcome => settle(decision, outcome))
  // Links that can no longer be matched against the patterns are not judged.
  if (!decision.isPatternTimeSpent) for (const judge of found) judge?.()
}

function settle(decision: Decision, outcome: Outcome): Then {
  if (outcome.type === 'robots' || outcome.type === 'robots_failed') settleRobots(decision, outcome)
  else if (outcome.type === 'sitemap') return settleSitemap(decision, outcome)
  else {
    const pending = decision.run.pending.get(outcome.key)
    if (pending && wasOut(pending)) return settlePending(decision, outcome, pending)
    if (decision.run.sitemaps.get(outcome.key)?.state === 'ordered') return settleAsSitemap(decision, outcome)
  }
}

/** Links of a sitemap, too, may arrive in parts; and its fetch may fail. */
function settleAsSitemap(decision: Decision, outcome: OfPage): Then {
  if (outcome.type === 'failed') retryOrFailSitemap(decision, outcome)
  if (outcome.type !== 'links') return
  noteLinks(decision, outcome)
  return () => followSitemap(decision, outcome.links)
}

/** A page that was never ordered cannot have been fetched. */
const wasOut = ({ order, attempt }: Pending): boolean => order !== null || attempt > 1

function settlePending(decision: Decision, outcome: OfPage, pending: Pending): Then {
  switch (outcome.type) {
    case 'page':
      return settlePage(decision, outcome, pending)
    case 'links':
      noteLinks(decision, outcome)
      return () => follow(decision, outcome, pending)
    case 'redirect':
      return redirect(decision, outcome, pending)
    case 'failed':
      if (outcome.attempt === pending.attempt) retryOrFail(decision, outcome, pending)
  }
}

/**
 * Orders another attempt of a page. After the last one a page that was to be rendered is fetched plainly, a page that has
 * answered before is settled with that answer, and any other page has failed.
 */
function retryOrFail(
  decision: Decision,
  {
    key,
    reason,
    transient,
    retryAfterMs,
  }: Pick<Of<'failed'>, 'key' | 'reason' | 'transient' | 'retryAfterMs'>,
  pending: Pending,
): void {
  const { emit, now } = decision
  const { attempt, lane } = pending
  const again = transient ? attemptAfter('page', attempt, { now, retryAfterMs }) : null
  if (again) emit({ type: 'PagesRetried', data: { pages: [{ key, reason, ...again }] } })
  else if (lane === 'browser') goOnPlainly(decision, key, reason, pending)
  else if (pending.answer) settleWith(decision, key, pending, pending.answer)
  else emit({ type: 'PagesFailed', data: { pages: [{ key, reason, attempts: attempt }] } })
}

/** A page waits until all its links are here. If they never arrive, it is ordered again. */
function settlePage(decision: Decision, outcome: Of<'page'>, pending: Pending): Then {
  if (!hasAllParts(decision.run, outcome.key, outcome.parts ?? 0) || !isOfItsLane(outcome, pending)) return
  if (isToBeRendered(decision, outcome, pending)) {
    render(decision, outcome.key, pending)
    return
  }
  const answer = answerOf(outcome)
  if (isServerError(answer)) {
    if (isFirstAnswer(answer, pending)) return
    if (pending.answer === undefined) {
      recheckLater(decision, outcome.key, answer, pending)
      return
    }
  }
  settleWith(decision, outcome.key, pending, answer)
  return () => follow(decision, outcome, pending)
}

function noteLinks({ emit }: Decision, { key, part, links }: Of<'links'>): void {
  if (part === undefined) return
  emit({ type: 'LinksFollowed', data: { parts: [{ key, part, links: links.length }] } })
}

/** URLs that a sitemap does not list are not part of a run with a sitemap as seed. */
function follow(decision: Decision, { key: from, links }: Of<'page' | 'links'>, { found }: Pending): void {
  if (decision.run.settings.seedKind === 'sitemap') return
  const depth = found.depth + 1
  for (const [key, url] of links) {
    discover(decision, { key, url, depth, from, hops: 0 })
  }
}

/** The run follows a redirect hop by hop, so that each hop obeys scope, robots.txt and the host's clock. */
function redirect(decision: Decision, { key, to: [target, url] }: Of<'redirect'>, { found }: Pending): Then {
  const { run, emit } = decision
  const hops = found.hops + 1
  if (hops > maxHops || leadsBack(run, target, key)) {
    emit({ type: 'PagesFailed', data: { pages: [{ key, reason: 'too_many_redirects', attempts: 1 }] } })
    return
  }
  if (!inScope(run.scope, url)) {
    if (found.depth > 0) {
      const rule = `redirects to ${url}`
      const skipped = { key, url: found.url, from: found.from, rule }
      emit({ type: 'PagesSkipped', data: { reason: 'redirect_out_of_scope', pages: [skipped] } })
      return
    }
    emit({ type: 'ScopeMoved', data: { scope: movedScope(run.scope, url) } })
  }
  emit({ type: 'PagesDuplicated', data: { pages: [{ key, of: target }] } })
  const requestedUrl = found.requestedUrl ?? found.url
  return () => discover(decision, { key: target, url, depth: found.depth, from: key, hops, requestedUrl })
}

const movedScope = ({ subdomains }: Scope, url: string): Scope => scopeOf(url, subdomains)

function leadsBack(run: Running, from: string, to: string): boolean {
  let at: string | undefined = from
  for (let hop = 0; at !== undefined && hop <= maxHops; hop++) {
    if (at === to) return true
    at = run.redirects.get(at)
  }
  return false
}
