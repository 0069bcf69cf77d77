/** Explains the verdict of each admission rule on a URL in words. */

import type { FoundUrl, RunEvent } from '@tidemark/contracts/run'
import type { DeferringLimit } from '@tidemark/contracts/run-ends'
import { judgePath, tooCostly } from '@tidemark/robots/judge'
import { hostOf } from '@tidemark/url/host'
import { maxSearched } from '@tidemark/url/pattern-limits'
import { isListed, maxKnown, maxKnownText, type Rule, type RuleInput } from '../discover.ts'
import { originOf, type Running } from '../run.ts'

type Words = (input: RuleInput, found: FoundUrl) => string

/** Explains for each rule why it did not exclude a URL. */
export const passedTexts: Record<Rule['rule'], Words> = {
  scope: ({ run }, { key, url }) =>
    isListed(run, key) ? 'urls lists it' : `its host ${hostOf(url)} belongs to ${siteOf(run)}`,
  known: ({ isNew }) => (isNew ? 'the run has not judged it before' : 'it was new when the run found it'),
  frontier: ({ run }) =>
    `the run knows ${run.states.size} URLs, of ${maxKnown} URLs or ${maxKnownText(run) / 1_000_000} million characters at most`,
  trap: ({ run }, { key, depth }) => {
    if (run.traps === null) return 'trap_guards is false'
    if (isListed(run, key)) return 'urls lists it, so it is exempt'
    return depth === 0 ? 'the seed is exempt' : 'no trap rule matches'
  },
  patterns({ run: { settings } }, { url, depth }) {
    const { includePaths = [], excludePaths = [] } = settings
    if (includePaths.length + excludePaths.length === 0) return 'the run has no patterns'
    if (depth === 0) return 'the seed is exempt'
    return includePaths.length === 0
      ? `no exclude pattern matches${searchedOf(url)}`
      : `an include pattern matches, and no exclude pattern${searchedOf(url)}`
  },
  depth: ({ run }, { depth }) => `${clicks(depth)} from the seed, and depth is ${run.settings.depth}`,
  robots: ({ run }, { url }) => allowedBy(run, url),
  max_pages: ({ run }) => `max_pages (${run.settings.maxPages}) was not reached`,
}

/** Explains why rules that emit no event excluded a URL. */
export const withoutEvent: Partial<Record<Rule['rule'], Words>> = {
  scope: ({ run }, { url }) => `out of scope: host ${hostOf(url)} is not ${siteOf(run)}`,
  frontier: ({ run }) => `the run knows ${run.states.size} URLs and has reached its limit`,
}

const deferredTexts: Record<DeferringLimit, (run: Running, depth: number) => string> = {
  max_pages: ({ settings }) => `max_pages (${settings.maxPages}) was reached before the URL was found`,
  depth: ({ settings }, depth) => `${clicks(depth)} from the seed, and depth is ${settings.depth}`,
}

/** Explains an event that excludes one page. Returns null for an event that excludes nothing. */
export function exclusionText(run: Running, event: RunEvent, url: string): string | null {
  switch (event.type) {
    case 'PagesPruned':
      return `${event.data.rule}: ${event.data.pages[0]?.because}`
    case 'PagesFiltered': {
      const pattern = event.data.pages[0]?.pattern
      const verdict = pattern ? `exclude pattern ${pattern} matches` : noInclude(run)
      return verdict + searchedOf(url)
    }
    case 'PagesDeferred':
      return deferredTexts[event.data.limit](run, event.data.pages[0]?.depth ?? 0)
    case 'PagesSkipped': {
      const rule = event.data.pages[0]?.rule ?? ''
      if (event.data.reason !== 'robots') return rule
      if (rule === tooCostly) return `${unmatched(url)}.`
      return `Disallow: ${rule}${groupOf(run, url)} in ${originOf(url)}/robots.txt${answered(run, url)}`
    }
    case 'FrontierFilled':
      return `the run knows ${event.data.known} URLs and has reached its limit`
    default:
      return null
  }
}

const maxNamed = 5

function noInclude({ settings: { includePaths = [] } }: Running): string {
  const named = includePaths.slice(0, maxNamed).join(', ')
  return `none of the include patterns matches: ${named}${includePaths.length > maxNamed ? ', …' : ''}`
}

/** Returns a remark if patterns search only a part of the address, else the empty string. */
const searchedOf = (url: string): string =>
  url.length - originOf(url).length <= maxSearched ? '' : ` (in its first ${maxSearched} characters)`

function allowedBy({ settings, robots }: Running, url: string): string {
  if (!settings.respectRobots) return 'respect_robots is false'
  const origin = originOf(url)
  const known = robots.get(origin)
  const file = `${origin}/robots.txt`
  const late = 'the run admitted the URL before it read this, and will skip it instead of fetching it'
  if (known?.state === 'failed') return `${file} could not be read (${known.reason}); ${late}`
  if (known?.state !== 'read') return `${file} has not been read; the run fetches it before the page`
  if (known.verdict === 'disallow_all') return `${file} answered ${known.status}; ${late}`
  if (known.verdict === 'allow_all') return `${file} answered ${known.status}, so everything is allowed`
  const { allowed, rule } = judgePath(known.group, url.slice(origin.length) || '/')
  if (rule === tooCostly) return `${unmatched(url)}; ${late}`
  if (!allowed) return `Disallow: ${rule}${groupOf({ robots }, url)} in ${file}; ${late}`
  const line = rule === null ? 'no line forbids it' : `Allow: ${rule}${groupOf({ robots }, url)} allows it`
  return `${line} (${file} answered ${known.status})`
}

/** Returns the robots.txt group in words; empty if the event is of an earlier version and does not contain it. */
function groupOf({ robots }: Pick<Running, 'robots'>, url: string): string {
  const agent = robotsAgentOf({ robots }, url)
  return agent === null ? '' : ` for User-agent: ${agent}`
}

/** Returns the user agent of the matching robots.txt group; null if it is unknown. */
export function robotsAgentOf({ robots }: Pick<Running, 'robots'>, url: string): string | null {
  const known = robots.get(originOf(url))
  return known?.state === 'read' ? (known.group.agent ?? null) : null
}

function answered({ robots }: Running, url: string): string {
  const known = robots.get(originOf(url))
  return known?.state === 'read' ? `, which answered ${known.status}` : ''
}

/** Returns why a URL is disallowed if the rules of robots.txt are too costly to match against its path. */
export const unmatched = (url: string): string =>
  `The rules of ${originOf(url)}/robots.txt have too many wildcards to be matched against this URL, so it is treated as disallowed`

const clicks = (depth: number): string => (depth === 1 ? '1 click' : `${depth} clicks`)
const siteOf = ({ scope }: Running): string =>
  scope.subdomains ? `${scope.host} or one of its subdomains` : scope.host
