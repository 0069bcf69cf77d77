/** Rules for the directives to search engines in the page, its response and the site's robots.txt. */

import { hasPassed } from '@tidemark/html/signals/robots-tag'
import { meaningOf } from '../../site-file.ts'
import type { AuditContext } from './context.ts'
import { directivesNamed, shownDirective } from './directives.ts'
import { directivesKnown, isKnownDirective } from './known-directives.ts'
import { among, type Rule, when, withSample } from './rule.ts'
import { google, rfc } from './sources.ts'

const tags = google('robots meta tag', 'crawling-indexing/robots-meta-tag')
const noindex = google('block indexing with noindex', 'crawling-indexing/block-indexing')

export const robotsRules: readonly Rule[] = [
  {
    id: 'robots/noindex',
    severity: 'warning',
    finds: 'noindex (or none) in a meta element or X-Robots-Tag',
    reason: 'Search engines do not show the page in results.',
    source: noindex,
    find: ({ directives }) =>
      among(
        directivesNamed(directives, 'noindex', 'none'),
        { many: 'The page has noindex.', remedy: 'If this is not intended, remove it.' },
        shownDirective,
      ),
  },
  {
    id: 'robots/nofollow',
    severity: 'warning',
    finds: 'nofollow (or none) for the whole page in a meta element or X-Robots-Tag',
    reason: 'Search engines follow none of its links, so they miss pages that only this page links to.',
    source: tags,
    find: ({ directives }) =>
      among(
        directivesNamed(directives, 'nofollow', 'none'),
        {
          many: 'The page has nofollow for all its links.',
          remedy: 'Mark single links instead, or remove it.',
        },
        shownDirective,
      ),
  },
  {
    id: 'robots/conflict',
    severity: 'warning',
    finds: 'index together with noindex, or follow together with nofollow',
    reason: 'The stricter directive applies, which is rarely intended.',
    source: tags,
    find: ({ directives }) => {
      const inConflict = ['index', 'follow'].flatMap(name => {
        const allowing = directivesNamed(directives, name, 'all')
        const forbidding = directivesNamed(directives, `no${name}`, 'none')
        return allowing.length > 0 && forbidding.length > 0 ? [...allowing, ...forbidding] : []
      })
      return among(
        [...new Set(inConflict)],
        {
          many: 'Directives contradict each other, and the stricter ones apply.',
          remedy: 'Remove the wrong ones.',
        },
        shownDirective,
      )
    },
  },
  {
    id: 'robots/unknown-directive',
    severity: 'info',
    finds: `A directive that no known search engine documents (known: ${directivesKnown})`,
    reason: 'Search engines ignore it. It is often a misspelling.',
    source: tags,
    find: ({ directives }) =>
      among(
        directives.filter(({ rule }) => !isKnownDirective(rule)),
        {
          one: '1 directive is unknown, and search engines ignore it.',
          many: '{n} directives are unknown, and search engines ignore them.',
          remedy: 'Check the spelling.',
        },
        shownDirective,
      ),
  },
  {
    id: 'robots/nosnippet',
    on: 'indexed',
    severity: 'warning',
    finds: 'nosnippet or max-snippet:0',
    reason: 'Results show no text of the page, and search engines quote none of it in answers.',
    source: tags,
    find: ({ directives }) =>
      among(
        directives.filter(({ rule }) => /^(?:nosnippet|max-snippet:\s*0)$/.test(rule)),
        {
          many: 'The page allows no snippet of its text.',
          remedy: 'If search engines may quote it, remove the directive.',
        },
        shownDirective,
      ),
  },
  {
    id: 'robots/expired',
    severity: 'warning',
    finds: 'unavailable_after with a past date',
    reason: 'Search engines have removed the page from results.',
    source: tags,
    find: ({ directives, context }) =>
      among(
        directives.filter(({ rule }) => hasPassed(rule, Date.parse(context.fetchedAt))),
        {
          many: 'The expiry date of the page has passed.',
          remedy: 'If it is still relevant, remove the directive.',
        },
        shownDirective,
      ),
  },
  {
    id: 'robots/disallowed',
    on: 'responses',
    severity: 'warning',
    needs: 'site',
    finds: 'A URL that robots.txt disallows for Googlebot',
    reason: 'Google does not read its content and rarely shows the page.',
    source: google('robots.txt', 'crawling-indexing/robots/intro'),
    find: ({ context }) => {
      const rule = disallowingRule(context)
      return withSample(
        'robots.txt disallows this URL for Googlebot. Allow it if the page should be found.',
        rule === null ? null : `Disallow: ${rule}`,
      )
    },
  },
  {
    id: 'robots/noindex-unreadable',
    severity: 'error',
    needs: 'site',
    finds: 'A noindex page that robots.txt disallows for Googlebot',
    reason: 'Crawlers that may not fetch the page do not read noindex, so the URL may stay in results.',
    source: noindex,
    find: ({ isIndexed, context }) =>
      when(
        !isIndexed && disallowingRule(context) !== null,
        () =>
          'The page has noindex, but robots.txt prevents crawlers from reading it. Allow the URL in robots.txt.',
      ),
  },
  {
    id: 'robots/unreachable',
    on: 'responses',
    severity: 'error',
    needs: 'site',
    finds: 'robots.txt with status 429, a server error or no response',
    reason: 'Crawlers then treat the whole site as disallowed, and Google stops crawling it.',
    source: rfc(9309, '2.3.1.4', 'unreachable status'),
    find: ({ context: { site } }) => {
      if (site === null) return null
      const { robotsStatus: status } = site
      return when(
        meaningOf(status) === 'disallow_all',
        () =>
          `robots.txt ${status === null ? 'does not respond' : `responds with ${status}`}, so crawlers treat the whole site as disallowed. Respond with 200, or with 404 if there is no robots.txt.`,
      )
    },
  },
]

/** Returns the rule of robots.txt that disallows the URL for Googlebot, or null. */
const disallowingRule = ({ site }: AuditContext): string | null =>
  site === null || site.googlebot.allowed ? null : site.googlebot.rule
