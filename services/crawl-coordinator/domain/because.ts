/** What each rule of admission says of a URL, in words: why it let it pass, or what it had against it. */
import type { FoundUrl, RunEvent } from '@tidemark/contracts/run'
import { judgePath } from '@tidemark/robots/judge'
import { mostSearched } from '@tidemark/url/pattern-limits'
import { type Asking, mostKnown, mostKnownText, type Rule } from './discover.ts'
import { originOf, type Running } from './run.ts'

type Words = (asking: Asking, found: FoundUrl) => string

/** Why a rule has nothing against a URL. */
export const passing: Record<Rule['rule'], Words> = {
  scope: ({ run }, { url }) => `its host ${hostOf(url)} belongs to ${siteOf(run)}`,
  known: ({ isNew }) =>
    isNew
      ? 'the run has not judged it before'
      : 'it was judged once, when it was found; its links later change nothing',
  frontier: ({ run }) =>
    `the run knows ${run.places.size} URLs, of ${mostKnown} or ${mostKnownText / 1_000_000} million characters that it can hold`,
  trap: ({ run }, { depth }) => {
    if (run.traps === null) return 'trap_guards is false'
    return depth === 0 ? 'the seed is exempt' : 'no rule takes it for a trap'
  },
  patterns({ run: { settings } }, { url, depth }) {
    const { includePaths = [], excludePaths = [] } = settings
    if (includePaths.length + excludePaths.length === 0) return 'no patterns were given'
    if (depth === 0) return 'the seed is exempt'
    return includePaths.length === 0
      ? `no exclude pattern matches${searchedOf(url)}`
      : `an include pattern matches, and no exclude${searchedOf(url)}`
  },
  depth: ({ run }, { depth }) => `${clicks(depth)} from the seed, and depth is ${run.settings.depth}`,
  robots: ({ run }, { url }) => allowedBy(run, url),
  max_pages: ({ run }) => `a page of max_pages (${run.settings.maxPages}) was free`,
}

/** What a rule has against a URL where that makes no event. */
export const withoutEvent: Partial<Record<Rule['rule'], Words>> = {
  scope: ({ run }, { url }) => `out of scope: host ${hostOf(url)} is not ${siteOf(run)}`,
  frontier: ({ run }) => `the run knows ${run.places.size} URLs already, and can hold no more`,
}

/** What an event says against the one page in it. Null for an event that leaves nothing out. */
export function against(run: Running, event: RunEvent, url: string): string | null {
  switch (event.type) {
    case 'PagesPruned':
      return `${event.data.rule}: ${event.data.pages[0]?.because}`
    case 'PagesFiltered': {
      const pattern = event.data.pages[0]?.pattern
      const verdict = pattern ? `exclude pattern ${pattern} matches` : noInclude(run)
      return verdict + searchedOf(url)
    }
    case 'PagesDeferred':
      return event.data.limit === 'depth'
        ? `${clicks(event.data.pages[0]?.depth ?? 0)} from the seed, and depth is ${run.settings.depth}`
        : `all pages of max_pages (${run.settings.maxPages}) were taken when it was found`
    case 'PagesSkipped': {
      const rule = event.data.pages[0]?.rule ?? ''
      if (event.data.reason !== 'robots') return rule
      return `Disallow: ${rule} in ${originOf(url)}/robots.txt${answered(run, url)}`
    }
    case 'FrontierFilled':
      return `the run knows ${event.data.known} URLs already, and can hold no more`
    default:
      return null
  }
}

const mostNamed = 5

function noInclude({ settings: { includePaths = [] } }: Running): string {
  const named = includePaths.slice(0, mostNamed).join(', ')
  return `none of the include patterns matches: ${named}${includePaths.length > mostNamed ? ', …' : ''}`
}

/** Of most addresses patterns see all. */
const searchedOf = (url: string): string =>
  url.length - originOf(url).length <= mostSearched ? '' : ` (in its first ${mostSearched} characters)`

function allowedBy({ settings, robots }: Running, url: string): string {
  if (!settings.respectRobots) return 'respect_robots is false'
  const origin = originOf(url)
  const known = robots.get(origin)
  const file = `${origin}/robots.txt`
  const late = 'it was read after this was admitted, which is left out at its turn'
  if (known?.state === 'failed') return `${file} could not be read (${known.reason}); ${late}`
  if (known?.state !== 'read') return `${file} has not been read; it is asked before the page is`
  if (known.verdict === 'disallow_all') return `${file} answered ${known.status}; ${late}`
  if (known.verdict === 'allow_all') return `${file} answered ${known.status}, so everything is allowed`
  const { allowed, rule } = judgePath(known.group, url.slice(origin.length) || '/')
  if (!allowed) return `Disallow: ${rule} in ${file}; ${late}`
  const line = rule === null ? 'no line forbids it' : `Allow: ${rule} allows it`
  return `${line} (${file} answered ${known.status})`
}

function answered({ robots }: Running, url: string): string {
  const known = robots.get(originOf(url))
  return known?.state === 'read' ? `, which answered ${known.status}` : ''
}

const clicks = (depth: number): string => (depth === 1 ? '1 click' : `${depth} clicks`)
const siteOf = ({ scope }: Running): string =>
  scope.subdomains ? `${scope.host} or one of its subdomains` : scope.host

/** With its port, where that is not the default. */
export const hostOf = (url: string): string => new URL(url).host
