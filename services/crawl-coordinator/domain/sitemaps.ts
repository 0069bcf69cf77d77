/**
 * Handles runs with a sitemap as seed: decides which sitemap is read next, and applies sitemaps to the run. An index
 * leads to further sitemaps, each once, so that loops end.
 */
import type { Outcome } from '@tidemark/contracts/work/outcome'
import { urlKey } from '@tidemark/url/key'
import { inScope, isOnSiteOf, type Scope, scopeOf } from '@tidemark/url/scope'
import type { Decision } from './circumstances.ts'
import { discover } from './discover.ts'
import { slots } from './limits/slots.ts'
import { attemptAfter, earlierThan, isDue } from './retry.ts'
import { hasAllParts, type Running, type Sitemap } from './run.ts'

/** Maximum number of sitemaps of a run in flight. */
const maxOut = 4
/** Maximum depth of nested indexes; the protocol has one level. */
const deepest = 5
const maxSitemaps = 10_000

type Read = Extract<Outcome, { type: 'sitemap' }>
type Part = Extract<Outcome, { type: 'links' }>
type Moving = Pick<Read, 'key' | 'movedTo' | 'links'>
type Failed = Pick<
  Extract<Outcome, { type: 'failed' }>,
  'key' | 'attempt' | 'reason' | 'transient' | 'retryAfterMs' | 'because'
>

/** Returns the sitemap of a seed: itself, or `/sitemap.xml` if the seed is an origin (specification, seed_kind). */
export function sitemapOf(seed: string): { key: string; url: string } {
  const { origin, pathname, search } = new URL(seed)
  const url = pathname === '/' && search === '' ? `${origin}/sitemap.xml` : seed
  return { key: urlKey(url), url }
}

/** Orders the discovered sitemaps that are wanted. */
export function orderSitemaps({ run, emit, now }: Decision): void {
  if (run.sitemaps.size === 0) return
  let free = maxOut
  for (const { state } of run.sitemaps.values()) if (state === 'ordered') free--
  for (const [key, sitemap] of run.sitemaps) {
    if (free <= 0) return
    if (!isNext(sitemap, now) || !isWanted(run, sitemap)) continue
    const { url, depth, attempt } = sitemap
    emit({ type: 'SitemapOrdered', data: { key, url, depth, attempt } })
    free--
  }
}

/** Returns whether the run must wait for a sitemap before it can end. */
export function awaitsSitemaps(run: Running): boolean {
  for (const sitemap of run.sitemaps.values())
    if (sitemap.state === 'ordered' || (isUnread(sitemap) && isWanted(run, sitemap))) return true
  return false
}

/**
 * Returns whether the run reads a sitemap: while pages may still be admitted. The seed, and a sitemap whose failure the
 * client retries, are always read, because the run would otherwise end without them and look complete.
 */
const isWanted = (run: Running, { depth, isRetried }: Sitemap): boolean =>
  depth === 0 || isRetried === true || (slots(run) > 0 && !run.isFull)

const isUnread = ({ state }: Sitemap): boolean => state === 'named' || state === 'waiting'

/** Returns the keys of the sitemaps that `max_pages` keeps the run from reading. They may list further URLs. */
export const unreadSitemaps = (run: Running): string[] =>
  slots(run) > 0 ? [] : [...run.sitemaps].flatMap(([key, sitemap]) => (isUnread(sitemap) ? [key] : []))

/** Returns the keys of the sitemaps of which a part was left out because of a fault. */
export const faultySitemaps = ({ sitemaps }: Running): string[] =>
  [...sitemaps].flatMap(([key, sitemap]) => (sitemap.state === 'read' && sitemap.isFaulty ? [key] : []))

/**
 * Returns whether the run has read all its sitemaps completely, and they list no URL of its site. A sitemap that was
 * not read, or only in part because of a fault or a limit, may list some.
 */
export const listNothing = ({ states, sitemaps }: Running): boolean =>
  states.size === 0 && sitemaps.size > 0 && sitemaps.values().every(isWhole)

const isWhole = (sitemap: Sitemap): boolean => sitemap.state === 'read' && !sitemap.isCut

/** Applies a sitemap to the run. Returns a function that judges its URLs. */
export function settleSitemap(decision: Decision, outcome: Read): (() => void) | undefined {
  const { run, emit } = decision
  const { key, attempt, status, links, sitemaps, parts = 0, cut } = outcome
  const known = run.sitemaps.get(key)
  if (known?.state !== 'ordered' || !hasAllParts(run, key, parts)) return
  if (status < 200 || status > 299) {
    const transient = status >= 500 || status === 429
    const reason = `its sitemap answered HTTP ${status}`
    retryOrGoOn(decision, { key, attempt, reason, transient, retryAfterMs: 0 })
    return
  }
  const mayMoveTo = undecidedMove(run, outcome)
  if (mayMoveTo === null) followMove(decision, outcome)
  const capacity = known.depth < deepest ? maxSitemaps - run.sitemaps.size : 0
  const named = namedBy(run, sitemaps)
  const left = named.slice(0, Math.max(0, capacity))
  const ahead = [...(run.linkParts.get(key)?.values() ?? [])]
  const isOfRun = outcome.movedTo === undefined || inScope(run.scope, outcome.movedTo)
  const urls = isOfRun ? ahead.reduce((sum, links) => sum + links, countInScope(run, links)) : 0
  const because = left.length < named.length ? `${named.length - left.length} further sitemaps` : cut
  emit({
    type: 'SitemapRead',
    data: {
      ...{ key, url: known.url, status, urls, sitemaps: left, cut: because },
      ...(mayMoveTo !== null && { mayMoveTo }),
    },
  })
  return () => followSitemap(decision, links)
}

/**
 * Returns the further sitemaps of the site. Those in scope come first, so that the others take no capacity from them.
 */
function namedBy(run: Running, sitemaps: Read['sitemaps']): Read['sitemaps'] {
  const further = sitemaps.filter(([child]) => !run.sitemaps.has(child))
  const own = further.filter(([, url]) => inScope(run.scope, url))
  const others = further.filter(([, url]) => !inScope(run.scope, url) && isOnSiteOf(run.scope, url))
  return [...own, ...others]
}

/**
 * Returns the scope to which the run may move, although its index lists no URL: it redirects to another host of the
 * site, and names sitemaps there. That host may have the pages too, or only the sitemaps. A host that differs only by
 * `www.` is the site's own name, so it has the pages.
 */
function undecidedMove(run: Running, { key, movedTo, links, sitemaps }: Read): Scope | null {
  const isIndex = run.sitemaps.get(key)?.depth === 0 && links.length === 0
  if (!isIndex || movedTo === undefined || inScope(run.scope, movedTo)) return null
  if (nameOf(movedTo) === nameOf(`https://${run.scope.host}/`)) return null
  const scope = scopeOf(movedTo, run.scope.subdomains)
  return isOnSiteOf(run.scope, movedTo) && sitemaps.some(([, url]) => inScope(scope, url)) ? scope : null
}

/** Returns the host of a URL without `www.`. */
const nameOf = (url: string): string => scopeOf(url, true).host

/**
 * Moves the scope of the run if its seed redirects to another site, like a page that is the seed. If the seed left that
 * undecided, the first of its sitemaps with URLs of that site moves it.
 */
function followMove({ run, emit }: Decision, { key, movedTo, links }: Moving): void {
  if (movedTo === undefined || inScope(run.scope, movedTo)) return
  const isSeed = run.sitemaps.get(key)?.depth === 0
  const scope = isSeed ? scopeOf(movedTo, run.scope.subdomains) : run.mayMoveTo
  if (scope === null || !inScope(scope, movedTo) || (!isSeed && links.length === 0)) return
  emit({ type: 'ScopeMoved', data: { scope } })
}

/**
 * Settles a part of a sitemap's URLs that arrived before the sitemap. If it is undecided whether the run moves to
 * another host, these URLs decide it. They are all of one host. If that is the run's host, the run stays there,
 * whatever its other sitemaps list.
 */
export function settlePart(decision: Decision, part: Part): () => void {
  const { run, emit } = decision
  followMove(decision, part)
  const links = countInScope(run, part.links)
  const isDecided = run.mayMoveTo === null || part.movedTo !== undefined || links === 0
  if (!isDecided) emit({ type: 'ScopeMoved', data: { scope: run.scope } })
  if (part.part !== undefined)
    emit({ type: 'LinksFollowed', data: { parts: [{ key: part.key, part: part.part, links }] } })
  return () => followSitemap(decision, part.links)
}

/**
 * Returns the number of URLs in scope. A sitemap that was ordered before the run moved may list URLs of the former
 * host.
 */
const countInScope = ({ scope }: Running, links: Read['links']): number =>
  links.reduce((sum, [, url]) => sum + (inScope(scope, url) ? 1 : 0), 0)

/** Judges URLs that a sitemap lists. Their depth is 1, whatever index names their sitemap. */
function followSitemap(decision: Decision, links: Read['links']): void {
  for (const [key, url] of links) {
    discover(decision, { key, url, depth: 1, from: null, hops: 0 })
  }
}

/**
 * Retries a failed sitemap later, or else counts it among the errors of the run. If its URL is also a page of the run,
 * only the page counts.
 */
export function retryOrFailSitemap(decision: Decision, failed: Failed): void {
  const { key, reason, because } = failed
  if (retryOrGoOn(decision, failed) !== 'failed') return
  const { states, listed, sitemaps } = decision.run
  if (states.has(key) || listed.waiting.has(key)) return
  const { attempt = 1, unused = 0 } = sitemaps.get(key) ?? {}
  const page = { key, reason, attempts: attempt - unused, ...(because !== undefined && { because }) }
  decision.emit({ type: 'PagesFailed', data: { pages: [page] } })
}

/**
 * Retries a sitemap later, or continues without it. Returns which; null if this attempt is not in flight: a failure
 * that is delivered again must not end the next attempt.
 */
function retryOrGoOn({ run, emit, now }: Decision, failed: Failed): 'failed' | 'retried' | null {
  const { key, attempt, reason, transient, retryAfterMs } = failed
  const known = run.sitemaps.get(key)
  if (known?.state !== 'ordered' || known.attempt !== attempt) return null
  const earlier = earlierThan('sitemap', attempt)
  const again = transient ? attemptAfter('sitemap', attempt, { now, retryAfterMs, earlier }) : null
  if (again) emit({ type: 'SitemapRetried', data: { key, ...again } })
  else emit({ type: 'SitemapFailed', data: { key, url: known.url, reason } })
  return again ? 'retried' : 'failed'
}

/** Sends orders of sitemaps again that have no result, as the same attempt. */
export function orderSitemapsAgain({ run, emit }: Decision, again: number): void {
  for (const [key, sitemap] of run.sitemaps) {
    if (sitemap.state !== 'ordered') continue
    const { url, depth, attempt } = sitemap
    emit({ type: 'SitemapOrdered', data: { key, url, depth, attempt, again } })
  }
}

const isNext = (sitemap: Sitemap, now: number): boolean =>
  sitemap.state === 'named' || (sitemap.state === 'waiting' && isDue(sitemap.notBefore, now))
