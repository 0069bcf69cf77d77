/** Converts each event about URLs to decisions for the API, by a table. Keys become URLs. */
import type { DecisionEvent } from '@tidemark/contracts/http/events'
import type { FoundUrl, RunEvent, RunEventData } from '@tidemark/contracts/run'
import type { UrlMemory } from './urls.ts'

type Name = RunEvent['type']
type ToDecisions<N extends Name> = (data: RunEventData<N>, urls: UrlMemory) => DecisionEvent[]

/** Maximum number of URLs of one decision event. A commit may decide about tens of thousands. */
const maxUrls = 100

/** Returns the decisions of an event; empty: it decides about no URL. Records the URLs of events. */
export function decisionsOf({ type, data }: RunEvent, urls: UrlMemory): DecisionEvent[] {
  const convert = converters[type] as ToDecisions<Name> | undefined
  return convert?.(data, urls) ?? []
}

const converters: { [N in Name]?: ToDecisions<N> } = {
  RunPaused: () => [{ decision: 'paused' }],
  RunResumed: () => [{ decision: 'resumed' }],
  RunReopened: ({ retried }) => [{ decision: 'reopened', urls: retried }],
  PagesAdmitted: ({ pages }, urls) => {
    for (const { key, url } of pages) urls.note(key, url)
    return parts(pages, found(urls)).map(pages => ({ decision: 'admitted', pages }))
  },
  PagesDeferred: ({ limit, pages }, urls) =>
    parts(pages, found(urls)).map(pages => ({ decision: 'deferred', limit, pages })),
  PagesSkipped: ({ reason, pages }, urls) =>
    parts(pages, ({ url, from, rule }) => ({ url, from: fromOf(urls, from), rule })).map(pages => ({
      decision: 'skipped',
      reason,
      pages,
    })),
  PagesFiltered: ({ by, pages }, urls) =>
    parts(pages, ({ url, from, pattern }) => ({ url, from: fromOf(urls, from), pattern })).map(pages => ({
      decision: 'filtered',
      by,
      pages,
    })),
  PagesPruned: ({ rule, pages }, urls) =>
    parts(pages, ({ url, from, because }) => ({ url, from: fromOf(urls, from), because })).map(pages => ({
      decision: 'pruned',
      rule,
      pages,
    })),
  PagesDuplicated: ({ pages }, urls) =>
    parts(pages, ({ key, of }) => ({ url: urls.of(key), of: urls.of(of) })).map(pages => ({
      decision: 'duplicated',
      pages,
    })),
  PagesFailed: ({ pages }, urls) =>
    parts(pages, ({ key, reason, attempts }) => ({ url: urls.of(key), reason, attempts })).map(pages => ({
      decision: 'failed',
      pages,
    })),
  PagesRetried: ({ pages }, urls) =>
    parts(pages, ({ key, reason, ...when }) => ({ url: urls.of(key), reason, ...again(when) })).map(
      pages => ({ decision: 'retried', pages }),
    ),
  RobotsRead: ({ origin, status, verdict }) => [
    { decision: 'robots', outcome: 'read', origin, status, verdict },
  ],
  RobotsFailed: ({ origin, reason }) => [{ decision: 'robots', outcome: 'failed', origin, reason }],
  RobotsRetried: ({ origin, ...when }) => [
    { decision: 'robots', outcome: 'retried', origin, ...again(when) },
  ],
  SitemapOrdered: ({ key, url }, urls) => {
    urls.note(key, url)
    return []
  },
  SitemapRead: ({ url, status, urls, sitemaps, cut }) => [
    { decision: 'sitemap', outcome: 'read', url, status, urls, sitemaps: sitemaps.length, cut },
  ],
  SitemapFailed: ({ url, reason }) => [{ decision: 'sitemap', outcome: 'failed', url, reason }],
  SitemapRetried: ({ key, ...when }, urls) => [
    { decision: 'sitemap', outcome: 'retried', url: urls.of(key), ...again(when) },
  ],
  FrontierFilled: ({ known }) => [{ decision: 'frontier_filled', known }],
}

const found =
  (urls: UrlMemory) =>
  ({ url, depth, from }: FoundUrl) => ({ url, depth, from: fromOf(urls, from) })

const fromOf = (urls: UrlMemory, from: string | null) => (from === null ? null : urls.of(from))

const again = ({ attempt, notBefore }: { attempt: number; notBefore: string }) => ({
  attempt,
  not_before: notBefore,
})

function parts<Page, Part>(pages: readonly Page[], convert: (page: Page) => Part): Part[][] {
  const listed: Part[][] = []
  for (let at = 0; at < pages.length; at += maxUrls) listed.push(pages.slice(at, at + maxUrls).map(convert))
  return listed
}
