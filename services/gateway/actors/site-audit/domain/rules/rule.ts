/** Type of a rule of a site: an id that never changes, the finding, its remedy and its source. */
import type { AuditFinding } from '@tidemark/contracts/http/actors/audit-onpage'
import type { Site } from '../site.ts'

/** Records a finding of a page. @param related positions of other URLs, of which the first few are recorded */
export type AddFinding = (page: number, count: number | null, related?: readonly number[]) => void

export type SiteRule = {
  /** Part of the API. */
  id: `site/${string}`
  severity: AuditFinding['severity']
  /** Describes the finding, with its thresholds. */
  finds: string
  /** Why it matters. */
  reason: string
  /**
   * The message about one page. If it depends on the count: `one` for a count of 1 or none, and `many` for other
   * counts, with `{n}` in place of the count.
   */
  message: string | { one: string; many: string }
  remedy: string
  source: { name: string; url: string }
  /** Why the rule does not apply to this run; null: it applies. */
  lacks?(site: Site): string | null
  /** Whether the run exceeds a limit of the rule, so that findings may be missing. */
  isPartial?(site: Site): boolean
  /** Returns a warning if parts were left out, so that findings may be missing; else undefined. */
  find(site: Site, add: AddFinding): string | undefined
}

/** Returns the problem and the remedy, as rules of pages word them. */
export function messageOf({ message, remedy }: SiteRule, count: number | null): string {
  if (typeof message === 'string') return `${message} ${remedy}`
  return `${count === null || count === 1 ? message.one : message.many.replaceAll('{n}', String(count))} ${remedy}`
}

export const google = (name: string, path: string) => ({
  name: `Google Search Central: ${name}`,
  url: `https://developers.google.com/search/docs/${path}`,
})

/** Returns the facts of a URL without a page; null for a page. */
export const otherAt = ({ pages, others }: Site, position: number) =>
  others.all[position - pages.length] ?? null

/** Whether a URL, or the URL to which it redirects, has an error (4xx, 5xx) or no response. */
export function isBroken(site: Site, position: number): boolean {
  const other = otherAt(site, position)
  return site.pages.isBroken(other?.end ?? position) || other?.endKind === 'failed'
}

/** Whether a URL redirects in a loop, or leads into one. */
export const isLoop = (site: Site, position: number): boolean => otherAt(site, position)?.endKind === 'loop'

/** Whether some URLs without a page are unknown. */
export const lacksUrls = ({ others }: Site): boolean => others.isCut

/** Why the rules that follow links from page to page do not apply; null: they apply. */
export const lacksLinks = ({ links }: Site): string | null =>
  links.isCut ? 'the crawl has more links than an audit reads' : null

/** The pages of a run, by position. */
export function* eachPage({ pages }: Site): Generator<number> {
  for (let page = 0; page < pages.length; page++) yield page
}
