/** A run's decisions about URLs without a page: the reason of each, for a difference between two runs. */
import type { RunEvent, RunEventData } from '@tidemark/contracts/run'
import { DeferringLimit } from '@tidemark/contracts/run-ends'

/** URL keys of one reason; for redirects also their targets, in the same order. */
export type UrlsWithoutPage = { cause: string; keys: string[]; targets?: string[] }

/** Causes that are not failures or exclusions of a URL. */
export const marks = {
  /** The URL redirected to another URL of the run, so it has no page of its own. */
  redirected: 'redirected',
  frontierFull: 'frontier_full',
  sitemapRead: 'sitemap_read',
  sitemapFailed: 'sitemap_failed',
  /**
   * The run ended at `max_pages` before it had read the sitemap. If there is no such row, the run ended for another
   * reason, or an older version stored its end.
   */
  sitemapUnread: 'sitemap_unread',
  /**
   * The run read only a part of the sitemap, because of a fault. Ends that older versions stored do not name such
   * sitemaps.
   */
  sitemapFaulty: 'sitemap_faulty',
} as const

/** Causes that are not final: a deferred URL may still be admitted. */
export const deferredCauses: readonly string[] = DeferringLimit.anyOf.map(({ const: limit }) => limit)

type Name = RunEvent['type']
type Read<N extends Name> = (data: RunEventData<N>) => UrlsWithoutPage[]

const readers: { [N in Name]?: Read<N> } = {
  PagesFailed: ({ pages }) =>
    Object.entries(Object.groupBy(pages, ({ reason }) => reason)).map(([cause, some = []]) => ({
      cause,
      keys: keysOf(some),
    })),
  PagesSkipped: ({ reason, pages }) => [{ cause: reason, keys: keysOf(pages) }],
  PagesFiltered: ({ by, pages }) => [
    { cause: by === 'exclude' ? 'excluded' : 'not_included', keys: keysOf(pages) },
  ],
  PagesPruned: ({ pages }) => [{ cause: 'trap', keys: keysOf(pages) }],
  PagesDeferred: ({ limit, pages }) => [{ cause: limit, keys: keysOf(pages) }],
  PagesDuplicated: ({ pages }) => [
    { cause: marks.redirected, keys: keysOf(pages), targets: pages.map(({ of }) => of) },
  ],
  FrontierFilled: () => [{ cause: marks.frontierFull, keys: [] }],
  SitemapRead: ({ key }) => [{ cause: marks.sitemapRead, keys: [key] }],
  SitemapFailed: ({ key }) => [{ cause: marks.sitemapFailed, keys: [key] }],
  RunFinished: ({ unreadSitemaps, faultySitemaps }) => [
    ...(unreadSitemaps ? [{ cause: marks.sitemapUnread, keys: unreadSitemaps }] : []),
    ...(faultySitemaps ? [{ cause: marks.sitemapFaulty, keys: faultySitemaps }] : []),
  ],
}

/** The fields of each event that are checked. An event without them is reported and skipped. */
export const fieldsToCheck = {
  PagesFailed: ['pages'],
  PagesSkipped: ['reason', 'pages'],
  PagesFiltered: ['by', 'pages'],
  PagesPruned: ['pages'],
  PagesDeferred: ['limit', 'pages'],
  PagesDuplicated: ['pages'],
  FrontierFilled: [],
  SitemapRead: ['key'],
  SitemapFailed: ['key'],
} as const

export const urlsWithoutPage = (event: RunEvent): UrlsWithoutPage[] =>
  (readers[event.type] as Read<Name> | undefined)?.(event.data) ?? []

const keysOf = (pages: readonly { key: string }[]): string[] => pages.map(({ key }) => key)
