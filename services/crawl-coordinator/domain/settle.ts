/** Applies the outcome of an order to the run: a page, a duplicate, another attempt, or a failure. */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { maxPageRedirects } from '@tidemark/contracts/work/redirects'
import { inScope, scopeOf } from '@tidemark/url/scope'
import type { Decision } from './circumstances.ts'
import { discover, isKnownUrl, truncated } from './discover.ts'
import { fetchInstead, isFromStore } from './fork/stored-pages.ts'
import { fitsBytes, overBytes, reachedBodyLimit } from './limits/byte-budget.ts'
import { canPay } from './limits/cost-budget.ts'
import { loginKey, settleLoggedOut, settleLogin, signOf } from './login/login.ts'
import { plainLeftOf } from './needed-units.ts'
import { answerOf, isFirstAnswer, isServerError, recheckLater, settleWith } from './recheck.ts'
import { cloudLeftOf, continueOverHttp, isOfItsLane, isToBeRendered, render } from './rendering.ts'
import { attemptAfter } from './retry.ts'
import { settleRobots } from './robots.ts'
import { hasAllParts, type Pending, type Running } from './run.ts'
import { retryOrFailSitemap, settlePart, settleSitemap } from './sitemaps.ts'

type Of<Type extends Outcome['type']> = Extract<Outcome, { type: Type }>
type OfPage = Of<'page' | 'links' | 'redirect' | 'failed'>

/** A function that judges the links of an outcome, to be called after all outcomes of the decision are settled. */
type Then = (() => void) | undefined

/**
 * Settles outcomes. An outcome that the run does not wait for changes nothing. First all orders are settled, then
 * their links are judged, because that is the order of the decision's events.
 */
export function settleAll(decision: Decision, outcomes: Outcome[]): void {
  const found = outcomes.map(outcome => settle(decision, outcome))
  // Links that can no longer be matched against the patterns are not judged.
  if (!decision.isPatternTimeSpent) for (const judge of found) judge?.()
}

function settle(decision: Decision, outcome: Outcome): Then {
  if (outcome.type === 'robots' || outcome.type === 'robots_failed') settleRobots(decision, outcome)
  else if (outcome.type === 'sitemap') return settleSitemap(decision, outcome)
  else if (outcome.type === 'logged_in' || outcome.type === 'login_failed') settleLogin(decision, outcome)
  else if (outcome.type === 'failed' && outcome.key === loginKey) settleLogin(decision, outcome)
  else {
    const pending = isOfSitemap(outcome) ? undefined : decision.run.pending.get(outcome.key)
    if (pending && wasOut(pending)) return settlePending(decision, outcome, pending)
    if (decision.run.sitemaps.get(outcome.key)?.state === 'ordered') return settleAsSitemap(decision, outcome)
  }
}

/**
 * Returns whether the outcome is certainly of a sitemap. An outcome without a kind may be of a sitemap too, unless a
 * page with its URL is pending.
 */
const isOfSitemap = (outcome: OfPage): boolean => 'kind' in outcome && outcome.kind === 'sitemap'

/** Settles an outcome of a sitemap: a part of its links, or the failure of its fetch. */
function settleAsSitemap(decision: Decision, outcome: OfPage): Then {
  if (outcome.type === 'failed') retryOrFailSitemap(decision, outcome)
  return outcome.type === 'links' ? settlePart(decision, outcome) : undefined
}

/** Returns whether a page was ever ordered. Otherwise it cannot have been fetched. */
const wasOut = ({ order, attempt }: Pending): boolean => order !== null || attempt > 1

function settlePending(decision: Decision, outcome: OfPage, pending: Pending): Then {
  if (outcome.type === 'page' || outcome.type === 'redirect') {
    const sign = signOf(decision.run, outcome)
    if (sign !== null) {
      // A sign in the response to an earlier attempt may belong to an earlier session.
      if (outcome.attempt === pending.attempt) settleLoggedOut(decision, outcome.key, sign)
      return
    }
  }
  switch (outcome.type) {
    case 'page':
      return settlePage(decision, outcome, pending)
    case 'links':
      recordLinks(decision, outcome)
      return () => follow(decision, outcome, pending)
    case 'redirect':
      return redirect(decision, outcome, pending)
    case 'failed':
      if (outcome.attempt === pending.attempt) retryOrFail(decision, outcome, pending)
  }
}

/**
 * Orders another attempt of a page. After the last attempt, a page for a browser is fetched over plain HTTP, a page
 * with an earlier response is settled with it, and any other page fails.
 */
function retryOrFail(
  decision: Decision,
  { key, reason, transient, retryAfterMs, because }: Of<'failed'>,
  pending: Pending,
): void {
  const { emit, now } = decision
  const { attempt, earlier = 0, lane } = pending
  if (isFromStore(pending)) {
    fetchInstead(decision, key, pending)
    return
  }
  if (reason === overBytes) {
    exceed(decision, key, pending)
    return
  }
  const again = transient ? attemptAfter('page', attempt, { now, retryAfterMs, earlier }) : null
  if (again) emit({ type: 'PagesRetried', data: { pages: [{ key, reason, ...again }] } })
  else if (lane === 'browser') continueOverHttp(decision, key, reason, pending)
  else if (pending.answer) settleWith(decision, key, pending, pending.answer)
  else {
    const page = { key, reason, attempts: attempt, ...(because !== undefined && { because }) }
    emit({ type: 'PagesFailed', data: { pages: [page] } })
  }
}

/**
 * Orders a page that exceeds the bytes of its order again, with more bytes. A page with a first response is settled
 * with that response instead. A page whose order had the maximum of a body fails.
 */
function exceed(decision: Decision, key: string, pending: Pending): void {
  const { emit, at } = decision
  const { attempt, answer } = pending
  if (answer) settleWith(decision, key, pending, answer)
  else if (reachedBodyLimit(pending))
    emit({ type: 'PagesFailed', data: { pages: [{ key, reason: 'too_large', attempts: attempt }] } })
  else {
    const again = { key, reason: overBytes, attempt: attempt + 1, notBefore: at }
    emit({ type: 'PagesRetried', data: { pages: [again] } })
  }
}

/** Settles a page once all its links have arrived. If they never arrive, the page is ordered again. */
function settlePage(decision: Decision, outcome: Of<'page'>, pending: Pending): Then {
  if (!hasAllParts(decision.run, outcome.key, outcome.parts ?? 0)) return
  if (outcome.carried) {
    settleWith(decision, outcome.key, pending, answerOf(outcome))
    return () => follow(decision, outcome, pending)
  }
  if (isFromStore(pending)) {
    // A process of an earlier version has requested the page, but nothing was reserved for that request.
    if (outcome.attempt === pending.attempt) fetchInstead(decision, outcome.key, pending)
    return
  }
  if (!isOfItsLane(outcome, pending)) return
  if (isUnpaid(decision, pending)) return
  if (isToBeRendered(decision, outcome, pending)) {
    render(decision, outcome.key, pending)
    return
  }
  const answer = answerOf(outcome)
  if (!fitsBytes(decision.run, pending, answer)) {
    if (pending.order !== null && outcome.attempt === pending.attempt) exceed(decision, outcome.key, pending)
    return
  }
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

/**
 * Returns whether there is no unit of the quota, or no part of the maximum cost, left for the page: while it waited for
 * its next attempt, other pages used them. A late response of an earlier attempt must then not be billed. The page is
 * fetched again, or counts as not reached.
 */
function isUnpaid(decision: Decision, pending: Pending): boolean {
  const { order, answer, lane } = pending
  if (order !== null || answer) return false
  if (!canPay(decision.run, pending)) return true
  return (lane === 'browser' ? cloudLeftOf(decision) : plainLeftOf(decision)) <= 0
}

function recordLinks({ emit }: Decision, { key, part, links }: Of<'links'>): void {
  if (part === undefined) return
  emit({ type: 'LinksFollowed', data: { parts: [{ key, part, links: links.length }] } })
}

/**
 * Judges the links of a page, unless the run follows none: a run with a sitemap as seed has only the URLs that the
 * sitemap lists. URLs that the client lists are judged in `listed.ts`.
 */
function follow(decision: Decision, { key: from, links }: Of<'page' | 'links'>, { found }: Pending): void {
  const { run } = decision
  const { settings, listed } = run
  if (settings.seedKind === 'sitemap' || settings.followLinks === false) return
  const depth = found.depth + 1
  for (const [key, url] of links) {
    if (isKnownUrl(run, key) || listed.waiting.has(key)) continue
    discover(decision, { key, url, depth, from, hops: 0 })
  }
}

/**
 * Follows one hop of a redirect, so that each hop obeys scope, robots.txt and the crawl delay of its host. A page with
 * an earlier response is settled with it if its redirects never end.
 */
function redirect(decision: Decision, { key, to: [target, url] }: Of<'redirect'>, pending: Pending): Then {
  const { run, emit } = decision
  const { found, attempt, answer } = pending
  const hops = found.hops + 1
  if (hops > maxPageRedirects || leadsBack(run, target, key)) {
    if (answer) settleWith(decision, key, pending, answer)
    else
      emit({
        type: 'PagesFailed',
        data: { pages: [{ key, reason: 'too_many_redirects', attempts: attempt }] },
      })
    return
  }
  if (!inScope(run.scope, url)) {
    if (found.depth > 0) {
      const rule = `redirects to ${truncated(url)}`
      const skipped = { key, url: found.url, from: found.from, rule }
      emit({ type: 'PagesSkipped', data: { reason: 'redirect_out_of_scope', pages: [skipped] } })
      return
    }
    emit({ type: 'ScopeMoved', data: { scope: scopeOf(url, run.scope.subdomains) } })
  }
  emit({ type: 'PagesDuplicated', data: { pages: [{ key, of: target }] } })
  const requestedUrl = found.requestedUrl ?? found.url
  return () => discover(decision, { key: target, url, depth: found.depth, from: key, hops, requestedUrl })
}

function leadsBack(run: Running, from: string, to: string): boolean {
  let at: string | undefined = from
  for (let hop = 0; at !== undefined && hop <= maxPageRedirects; hop++) {
    if (at === to) return true
    at = run.redirects.get(at)
  }
  return false
}
