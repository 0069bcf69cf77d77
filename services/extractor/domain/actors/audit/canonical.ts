/** Rules for the canonical URL of a page. */
import type { AuditedPage } from './audited-page.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { google } from './sources.ts'
import { otherCanonicalOf, selfOf, statedBy, usableBy } from './stated-canonicals.ts'

const consolidate = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')

export const canonicalRules: readonly Rule[] = [
  {
    id: 'canonical/missing',
    on: 'indexed',
    severity: 'info',
    finds: 'A URL with a query, and no canonical URL',
    reason: 'Search engines may index the same page under several queries.',
    source: consolidate,
    find: page =>
      when(
        statedBy(page).length === 0 && page.url.searchParams.size > 0,
        () => `The URL has a query (${page.url.search.slice(0, 80)}) but no canonical URL. Add one.`,
      ),
  },
  {
    id: 'canonical/mismatch',
    severity: 'warning',
    finds: "A canonical URL that differs from the page's URL",
    reason: 'Search engines show the canonical URL instead of this one.',
    source: consolidate,
    find: page => {
      const target = otherCanonicalOf(page)
      return withSample(
        "The canonical URL differs from this page's URL. If this is not intended, use this page's URL.",
        isDowngrade(page, target) ? null : target,
      )
    },
  },
  {
    id: 'canonical/insecure',
    severity: 'warning',
    finds: 'An https page whose canonical is the same URL with http',
    reason: 'Search engines are directed to the unencrypted URL.',
    source: consolidate,
    find: page => {
      const target = otherCanonicalOf(page)
      return withSample(
        'The canonical URL of this page uses http. Use https.',
        isDowngrade(page, target) ? target : null,
      )
    },
  },
  {
    id: 'canonical/multiple',
    severity: 'error',
    finds: 'Several different canonical URLs',
    reason: 'Search engines then ignore all of them.',
    source: google(
      'common mistakes with rel=canonical',
      'crawling-indexing/canonicalization-troubleshooting',
    ),
    find: page => {
      const targets = [...new Set(usableBy(page).map(({ target, href }) => target ?? href))]
      return targets.length < 2
        ? null
        : among(targets, { many: 'The page has {n} different canonical URLs.', remedy: 'Keep one.' })
    },
  },
  {
    id: 'canonical/invalid',
    severity: 'error',
    finds: 'A canonical URL that is empty or not a valid http(s) URL',
    reason: 'Search engines ignore it.',
    source: consolidate,
    find: page =>
      among(
        usableBy(page).filter(({ target }) => target === null),
        {
          many: 'The canonical URL is not a valid http(s) URL.',
          remedy: 'Use an absolute https URL.',
        },
        ({ href }) => href || '(empty)',
      ),
  },
  {
    id: 'canonical/relative',
    severity: 'info',
    finds: 'A canonical URL without scheme and host',
    reason:
      'Search engines resolve relative canonical URLs, but they break unnoticed, for example when a test host is indexed.',
    source: consolidate,
    find: page =>
      among(
        usableBy(page).filter(({ href, target }) => target !== null && !/^https?:\/\//i.test(href)),
        { many: 'The canonical URL is relative.', remedy: 'Use an absolute URL.' },
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/fragment',
    severity: 'warning',
    finds: 'A canonical URL with a fragment (`#…`)',
    reason: 'Search engines do not index fragments, and may ignore the canonical URL.',
    source: consolidate,
    find: page =>
      among(
        usableBy(page).filter(({ href }) => href.includes('#')),
        { many: 'The canonical URL has a fragment.', remedy: 'Remove the fragment.' },
        ({ href }) => href,
      ),
  },
  {
    id: 'canonical/in-body',
    severity: 'error',
    finds: 'A canonical URL in the body only',
    reason: 'Search engines ignore it there, because users can often write content into the body.',
    source: consolidate,
    find: page => {
      const stated = usableBy(page)
      if (stated.some(({ isInHead }) => isInHead)) return null
      return among(
        stated,
        {
          many: 'The canonical URL is in the body, where search engines ignore it.',
          remedy: 'Move it to the head.',
        },
        ({ href }) => href,
      )
    },
  },
  {
    id: 'canonical/ignored-attribute',
    severity: 'error',
    finds: 'A canonical URL with a value for `hreflang`, `lang`, `media` or `type`',
    reason: 'Search engines ignore it, because such attributes declare a version of the page.',
    source: consolidate,
    find: page =>
      among(
        statedBy(page).filter(({ ignoredFor }) => ignoredFor.length > 0),
        {
          many: 'The canonical URL has attributes for which search engines ignore it.',
          remedy: 'Remove them, or use rel="alternate" for a version of the page.',
        },
        ({ href, ignoredFor }) => `${ignoredFor.join(' ')}: ${href}`,
      ),
  },
  {
    id: 'canonical/on-noindexed',
    severity: 'warning',
    finds: 'A noindex page whose canonical is another URL',
    reason:
      'The two contradict each other: noindex removes the page, and a canonical URL merges it with another page.',
    source: google('canonicalization troubleshooting', 'crawling-indexing/canonicalization-troubleshooting'),
    find: page =>
      withSample(
        'The page has noindex and another canonical URL. Keep one of them.',
        page.isIndexed ? null : otherCanonicalOf(page),
      ),
  },
]

const isDowngrade = (page: AuditedPage, target: string | null): boolean =>
  page.url.protocol === 'https:' && target === selfOf(page).replace('https:', 'http:')
