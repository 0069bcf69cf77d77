/** Describes the changes that would make a URL a page of the run. */

import type { RunEvent } from '@tidemark/contracts/run'
import type { DeferringLimit, StopReason } from '@tidemark/contracts/run-ends'
import { tooCostly } from '@tidemark/robots/judge'
import { hostOf } from '@tidemark/url/host'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { isPaused, type Running } from '../run.ts'
import type { History } from './history.ts'

const byPatterns = (pattern: string | null | undefined): string =>
  pattern ? `Remove ${pattern} from exclude_paths.` : 'Add a pattern to include_paths that matches it.'

const byEnd: Partial<Record<StopReason, string>> = {
  max_cost_usd: 'A larger max_cost_usd: its rest did not pay for this URL.',
  max_bytes: 'A larger max_bytes: its rest was too small for this URL.',
  quota: 'A larger page quota: the project used up its quota before this URL was fetched.',
  cancelled: 'Let the crawl finish: it was cancelled before this URL was fetched.',
  time_limit:
    'A larger RUN_TIME_LIMIT or a smaller crawl: the time limit passed before this URL was fetched.',
  failed: 'A login that lasts: the crawl was not logged in before this URL was fetched.',
  pattern_time:
    'Fewer or simpler patterns in include_paths and exclude_paths: their CPU time was used up before this URL was fetched.',
}

const byLimit: Record<DeferringLimit, (run: Running, depth: number) => string> = {
  max_pages: ({ settings }) => `max_pages above ${settings.maxPages}.`,
  depth: (_run, depth) => `A depth of at least ${depth}, or a shorter chain of links to it.`,
}

/** Returns the change for a URL of another host. */
export function ofScope(run: Running, url: string): string {
  const wider = scopeOf(run.url, true)
  return !run.scope.subdomains && inScope(wider, url)
    ? `subdomains: true, which includes ${hostOf(url)}.`
    : `A separate crawl of ${hostOf(url)}.`
}

/** Returns the changes for a URL that an event excludes. */
export function ofEvent(run: Running, event: RunEvent): string[] {
  switch (event.type) {
    case 'PagesPruned':
      return [`Set trap_guards to false, or let the operator add \`${event.data.rule}\` to TRAP_RULES_OFF.`]
    case 'PagesFiltered':
      return [byPatterns(event.data.pages[0]?.pattern)]
    case 'PagesDeferred':
      return [byLimit[event.data.limit](run, event.data.pages[0]?.depth ?? 0)]
    case 'PagesSkipped':
      return [event.data.pages[0]?.rule === tooCostly ? ofCostlyRules : bySkipped[event.data.reason]]
    case 'FrontierFilled':
      return ['Patterns in exclude_paths that make the crawl smaller.']
    default:
      return []
  }
}

export const ofCostlyRules = 'A robots.txt with fewer wildcards, or respect_robots: false.'

export const bySkipped = {
  robots: 'A line in robots.txt that allows it, or respect_robots: false.',
  robots_unreachable: 'A robots.txt that answers with 200 or 404, or respect_robots: false.',
  redirect_out_of_scope:
    'A separate crawl of the host that it redirects to, or subdomains: true if that is a subdomain.',
}

/** Returns the changes for a URL that the run knows. */
export function ofHistory(run: Running, { verdict, ruling, stopReason, failure }: History): string[] {
  if (verdict === 'pending' && isPaused(run)) return ['Resume the crawl: it is paused.']
  if (verdict === 'pending') return ['Nothing has to change: the URL still waits to be fetched.']
  if (verdict === 'failed') return [ofFailure(failure, stopReason)]
  if (verdict === 'not_reached' && (ruling === null || ruling.type === 'PagesAdmitted')) {
    return [byEnd[stopReason ?? 'cancelled'] ?? 'Let the crawl finish.']
  }
  return verdict === 'fetched' || verdict === 'duplicate' || !ruling ? [] : ofEvent(run, ruling)
}

/** Returns the change for a failed URL. Only a run that has ended, and was not cancelled, can retry it. */
function ofFailure(failure: string | null, stopReason: StopReason | null): string {
  const retry = stopReason === null ? 'POST …/retry-failed after the end' : 'POST …/retry-failed'
  const isCancelled = stopReason === 'cancelled'
  if (failure === 'logged_out') {
    const next = isCancelled ? 'a new crawl' : retry
    return `A login that lasts, then ${next}: the page had the sign of having been logged out.`
  }
  const next = isCancelled ? 'a new crawl tries again' : `${retry}, or a new crawl, tries again`
  return `A response of its host (${failure}): ${next}.`
}

/** Returns the changes for a URL that no rule excludes and no page links to. */
export function ofNeverSeen({ settings }: Running): string[] {
  return settings.seedKind === 'sitemap'
    ? ['An entry for it in the sitemap.']
    : settings.followLinks === false
      ? ['An entry for it in urls, or follow_links: true and a link to it.']
      : ['A link to it without nofollow on a page of the crawl, or a crawl that starts there.']
}
