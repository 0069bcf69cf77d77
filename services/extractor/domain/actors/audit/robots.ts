/** Rules of what search engines are told to do with a page, by the page, its answer and the site's robots.txt. */

import { hasPassed, says, shownDirective } from './directives.ts'
import { directivesKnown, isKnownDirective } from './known-directives.ts'
import { among, type Rule, when } from './rule.ts'
import { google, rfc } from './sources.ts'

const tags = google('robots meta tag', 'crawling-indexing/robots-meta-tag')
const noindex = google('block indexing with noindex', 'crawling-indexing/block-indexing')

export const robotsRules: readonly Rule[] = [
  {
    id: 'robots/noindex',
    on: 'pages',
    severity: 'warning',
    finds: 'noindex (or none), by meta element or X-Robots-Tag',
    reason: 'The page is kept out of search results.',
    source: noindex,
    find: ({ directives }) =>
      among(
        says(directives, 'noindex', 'none'),
        () => 'The page asks not to be indexed. Where that is not meant, take noindex away.',
        shownDirective,
      ),
  },
  {
    id: 'robots/nofollow',
    on: 'pages',
    severity: 'warning',
    finds: 'nofollow (or none) for the whole page, by meta element or X-Robots-Tag',
    reason: 'None of its links is followed, so what only it links to is not found.',
    source: tags,
    find: ({ directives }) =>
      among(
        says(directives, 'nofollow', 'none'),
        () => 'The page asks that none of its links be followed. Mark single links instead, or take it away.',
        shownDirective,
      ),
  },
  {
    id: 'robots/conflict',
    on: 'pages',
    severity: 'warning',
    finds: 'index beside noindex, or follow beside nofollow',
    reason: 'The stricter one holds, which is seldom what was meant.',
    source: tags,
    find: ({ directives }) => {
      const [index, follow] = [says(directives, 'index', 'all'), says(directives, 'follow', 'all')]
      const [noindex, nofollow] = [says(directives, 'noindex', 'none'), says(directives, 'nofollow', 'none')]
      const inConflict = [
        ...(index.length > 0 && noindex.length > 0 ? [...index, ...noindex] : []),
        ...(follow.length > 0 && nofollow.length > 0 ? [...follow, ...nofollow] : []),
      ]
      return among(
        [...new Set(inConflict)],
        () => 'Directives contradict each other; the stricter ones hold. Say each thing once.',
        shownDirective,
      )
    },
  },
  {
    id: 'robots/unknown-directive',
    on: 'pages',
    severity: 'info',
    finds: `A directive that no known search engine documents (known: ${directivesKnown})`,
    reason: 'It is ignored; often it is a misspelling.',
    source: tags,
    find: ({ directives }) =>
      among(
        directives.filter(({ rule }) => !isKnownDirective(rule)),
        n =>
          `${n} of the directives ${n === 1 ? 'is' : 'are'} not known and will be ignored. Check the spelling.`,
        shownDirective,
      ),
  },
  {
    id: 'robots/nosnippet',
    on: 'indexed',
    severity: 'warning',
    finds: 'nosnippet or max-snippet:0',
    reason: 'Results show no text of the page, and answers of search engines quote none of it.',
    source: tags,
    find: ({ directives }) =>
      among(
        directives.filter(({ rule }) => /^(?:nosnippet|max-snippet:\s*0)$/.test(rule)),
        () => 'The page allows no snippet of its text. Where it is to be quoted, take that away.',
        shownDirective,
      ),
  },
  {
    id: 'robots/expired',
    on: 'pages',
    severity: 'warning',
    finds: 'unavailable_after with a day that has passed',
    reason: 'The page is no longer shown in results.',
    source: tags,
    find: ({ directives, context }) =>
      among(
        directives.filter(({ rule }) => hasPassed(rule, Date.parse(context.fetchedAt))),
        () =>
          'The page told search engines to drop it on a day that has passed. Where it still counts, take that away.',
        shownDirective,
      ),
  },
  {
    id: 'robots/disallowed',
    on: 'answers',
    severity: 'warning',
    finds: 'An address that robots.txt forbids Googlebot to fetch',
    reason: 'Its content is not read, so it is found for little or nothing.',
    source: google('robots.txt', 'crawling-indexing/robots/intro'),
    find: ({ context: { site } }) =>
      site !== null && !site.googlebot.allowed && site.googlebot.rule !== null
        ? {
            message: 'robots.txt keeps Googlebot from this address. Where it is to be found, allow it there.',
            samples: [`Disallow: ${site.googlebot.rule}`],
          }
        : null,
  },
  {
    id: 'robots/noindex-unreadable',
    on: 'pages',
    severity: 'error',
    finds: 'A page with noindex that robots.txt forbids Googlebot to fetch',
    reason: 'Who may not fetch a page never reads its noindex: the address may stay in results.',
    source: noindex,
    find: ({ isIndexed, context: { site } }) =>
      when(
        !isIndexed && site !== null && !site.googlebot.allowed && site.googlebot.rule !== null,
        () =>
          'The page says noindex, but robots.txt keeps crawlers from reading that. Allow the address there.',
      ),
  },
  {
    id: 'robots/unreachable',
    on: 'answers',
    severity: 'error',
    finds: 'robots.txt answered with 429 or an error of the server, or could not be had at all',
    reason: 'Crawlers then take the whole site as forbidden, and Google stops crawling it.',
    source: rfc(9309, '2.3.1.4', 'unreachable status'),
    find: ({ context: { site } }) => {
      if (site === null) return null
      const { robotsStatus: status } = site
      return when(
        status === null || status >= 500 || status === 429,
        () =>
          `robots.txt ${status === null ? 'cannot be had' : `answers ${status}`}: crawlers take that as a ban from the whole site. It should answer 200, or 404 where there is none.`,
      )
    },
  },
]
