/** Rules for links between the URLs of a run. The finding is at the page with the link. */
import type { Site } from '../site.ts'
import {
  type AddFinding,
  google,
  isBroken,
  isLoop,
  lacksLinks,
  lacksUrls,
  otherAt,
  type SiteRule,
} from './rule.ts'

const crawlable = google('crawlable links', 'crawling-indexing/links-crawlable')
const statuses = google('HTTP status codes', 'crawling-indexing/http-network-errors')
const redirects = google('redirects', 'crawling-indexing/301-redirects')
const robots = google('robots.txt', 'crawling-indexing/robots/intro')

/** Finds the pages with links to URLs for which the condition is true. */
const findWhere =
  (holds: (site: Site, position: number) => boolean) =>
  (site: Site, add: AddFinding): undefined => {
    const { links } = site.links
    for (let at = 0; at < links.length; ) {
      const page = links[at] as number
      const found: number[] = []
      for (; links[at] === page && at < links.length; at += 2) {
        const position = links[at + 1] as number
        if (holds(site, position)) found.push(position)
      }
      if (site.pages.isFound(page) && found.length > 0) add(page, found.length, found)
    }
  }

/** Whether the list of links to watched URLs is incomplete. */
const isPartial = (site: Site): boolean => site.links.isWatchedCut || lacksUrls(site)

export const linkRules: readonly SiteRule[] = [
  {
    id: 'site/broken-link',
    severity: 'error',
    finds:
      'A link to a URL of the site that responds with an error (4xx, 5xx) or does not respond, also behind a redirect',
    reason: 'Visitors reach an error, and crawlers lose the way to the page.',
    message: { one: 'A link leads to a broken URL.', many: 'Links lead to {n} broken URLs.' },
    remedy: 'Correct or remove the links, or restore the pages.',
    source: statuses,
    isPartial,
    find: findWhere(isBroken),
  },
  {
    id: 'site/redirect-loop',
    severity: 'error',
    finds: 'A link to a URL of the site that redirects in a loop, or more than ten times',
    reason: 'Browsers and crawlers give up without a page.',
    message: {
      one: 'A link leads into a redirect loop.',
      many: 'Links lead to {n} URLs with a redirect loop.',
    },
    remedy: 'Let the URL redirect to a page once.',
    source: redirects,
    isPartial,
    find: findWhere(isLoop),
  },
  {
    id: 'site/redirect-chain',
    severity: 'warning',
    finds: 'A link to a URL of the site that redirects more than once before its page',
    reason: 'Each redirect costs a round trip, and crawlers stop after several.',
    message: {
      one: 'A link leads through a redirect chain.',
      many: 'Links lead through {n} redirect chains.',
    },
    remedy: 'Link to the final URL, and redirect to it directly.',
    source: redirects,
    isPartial,
    find: findWhere((site, position) => {
      const other = otherAt(site, position)
      return other !== null && other.end >= 0 && other.hops > 1
    }),
  },
  {
    id: 'site/redirected-link',
    severity: 'info',
    finds: 'A link to a URL of the site that redirects',
    reason: 'Each visit and each crawl costs another round trip.',
    message: { one: 'A link leads to a redirect.', many: 'Links lead to {n} URLs that redirect.' },
    remedy: 'Link to the final URL.',
    source: redirects,
    isPartial,
    find: findWhere((site, position) => (otherAt(site, position)?.end ?? -1) >= 0),
  },
  {
    id: 'site/blocked-link',
    severity: 'warning',
    finds: 'A link to a URL of the site that robots.txt disallows for the crawler',
    reason:
      'Search engines may list the URL without its content, and rank flows into a page that they cannot read.',
    message: {
      one: 'A link leads to a URL that robots.txt disallows.',
      many: 'Links lead to {n} URLs that robots.txt disallows.',
    },
    remedy: 'Allow the pages in robots.txt, or remove the links.',
    source: robots,
    isPartial,
    find: findWhere((site, position) => otherAt(site, position)?.kind === 'blocked'),
  },
  {
    id: 'site/noindex-linked',
    severity: 'info',
    finds: 'A noindex page that other pages link to with followed links',
    reason: 'Its links lead visitors and rank to a page that search engines do not show.',
    message: {
      one: 'The page has noindex, and another page links to it.',
      many: 'The page has noindex, and {n} other pages link to it.',
    },
    remedy: 'Remove noindex if the page should be found.',
    source: crawlable,
    lacks: lacksLinks,
    find: ({ pages, links }, add) => {
      for (const [page, indexed] of pages.indexed.entries()) {
        const inlinks = links.inlinks[page] as number
        if (indexed === 0 && inlinks > 0 && pages.isRead(page)) add(page, inlinks)
      }
      return undefined
    },
  },
]
