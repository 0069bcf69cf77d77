/** What would have to be different for a URL to become a page of the run. */
import type { RunEvent, StopReason } from '@tidemark/contracts/run'
import { inScope, scopeOf } from '@tidemark/url/scope'
import { hostOf } from './because.ts'
import type { History } from './history.ts'
import type { Running } from './run.ts'

const byPatterns = (pattern: string | null | undefined): string =>
  pattern ? `Leave ${pattern} out of exclude_paths.` : 'Add a pattern to include_paths that matches it.'

const byEnd: Partial<Record<StopReason, string>> = {
  quota: 'More pages a day or a month: those of the project were used up before the turn of this URL.',
  cancelled: 'Let the crawl run to its end: it was cancelled before the turn of this URL.',
  time_limit: 'A larger RUN_TIME_LIMIT, or a smaller crawl: the time was over before the turn of this URL.',
}

/** Of a URL that another host has, or that redirects to one. */
export function ofScope(run: Running, url: string): string {
  const wider = scopeOf(run.url, true)
  return !run.scope.subdomains && inScope(wider, url)
    ? `subdomains: true takes ${hostOf(url)} in.`
    : `A crawl of its own for ${hostOf(url)}.`
}

/** Of a URL that an event leaves out. */
export function ofEvent(run: Running, event: RunEvent): string[] {
  switch (event.type) {
    case 'PagesPruned':
      return [`trap_guards: false, or ${event.data.rule} in TRAP_RULES_OFF of this installation.`]
    case 'PagesFiltered':
      return [byPatterns(event.data.pages[0]?.pattern)]
    case 'PagesDeferred':
      return event.data.limit === 'depth'
        ? [`A depth of at least ${event.data.pages[0]?.depth}, or a shorter way to it.`]
        : [`max_pages above ${run.settings.maxPages}.`]
    case 'PagesSkipped':
      return [bySkipped[event.data.reason]]
    case 'FrontierFilled':
      return ['exclude_paths that keep the crawl smaller.']
    default:
      return []
  }
}

const bySkipped = {
  robots: 'A line in robots.txt that allows it, or respect_robots: false.',
  robots_unreachable: 'A robots.txt that answers with 200 or 404, or respect_robots: false.',
  redirect_out_of_scope: 'A crawl of its own for the host that it redirects to, or subdomains: true.',
}

/** Of a URL that the run knows. */
export function ofHistory(run: Running, { place, ruling, stopReason, failure }: History): string[] {
  if (place === 'pending') return ['Nothing has to change: its turn is still to come.']
  if (place === 'failed') return [`Its host has to answer (${failure}); a new crawl asks again.`]
  if (place === 'not_reached' && ruling?.type === 'PagesAdmitted') {
    return [byEnd[stopReason ?? 'cancelled'] ?? 'Let the crawl run to its end.']
  }
  return place === 'fetched' || place === 'duplicate' || !ruling ? [] : ofEvent(run, ruling)
}

/** Of a URL that nothing speaks against, and that nobody ever named. */
export function ofUnseen({ settings }: Running): string[] {
  return settings.seedKind === 'sitemap'
    ? ['An entry of the sitemap that names it.']
    : ['A link to it, without nofollow, on a page of the crawl; or a crawl that begins there.']
}
