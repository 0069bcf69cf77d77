/** Rules for versions in other languages, as far as the run has read them. */
import type { Site } from '../site.ts'
import { type AddFinding, eachPage, google, lacksUrls, type SiteRule } from './rule.ts'

const localized = google('localized versions of pages', 'specialty/international/localized-versions')

/** Finds the pages with alternates for which the condition is true. */
const findWhere =
  (holds: (site: Site, alternate: number, page: number) => boolean) =>
  (site: Site, add: AddFinding): undefined => {
    for (const page of eachPage(site)) {
      if (!site.pages.isRead(page)) continue
      const found = site.pages
        .alternatesOf(page)
        .flatMap(url => site.positions.get(url) ?? [])
        .filter(position => position !== page && holds(site, position, page))
      if (found.length > 0) add(page, found.length, found)
    }
  }

/** Whether some alternates, or some of the URLs behind them, are unknown. */
const isPartial = (site: Site): boolean => site.pages.isCut || lacksUrls(site)

export const hreflangRules: readonly SiteRule[] = [
  {
    id: 'site/hreflang-no-return',
    severity: 'error',
    finds: 'An alternate whose page does not list this indexed page among its own alternates',
    reason: 'Search engines ignore alternates that do not confirm each other.',
    message: {
      one: 'A version of this page does not link back to it.',
      many: '{n} versions of this page do not link back to it.',
    },
    remedy: 'List all versions on each of them.',
    source: localized,
    isPartial,
    find: findWhere(
      ({ pages }, alternate, page) =>
        // Versions list the canonical URL of a page, not its variants.
        pages.isShown(page) &&
        alternate < pages.length &&
        pages.isRead(alternate) &&
        !pages.hasAlternate(alternate, pages.numbers[page] as number),
    ),
  },
  {
    id: 'site/hreflang-broken',
    severity: 'error',
    finds:
      'An alternate that responds with an error (4xx, 5xx), redirects, is disallowed, or does not respond',
    reason: 'The version is not shown to its audience.',
    message: { one: 'A version of this page is broken.', many: '{n} versions of this page are broken.' },
    remedy: 'List URLs that respond with 200.',
    source: localized,
    isPartial,
    find: findWhere(({ pages }, alternate) => alternate >= pages.length || pages.isBroken(alternate)),
  },
  {
    id: 'site/hreflang-not-indexed',
    severity: 'warning',
    finds: 'An alternate whose page has noindex, or another canonical URL',
    reason: 'Search engines cannot show it as a version.',
    message: {
      one: 'A version of this page is not indexed under its URL.',
      many: '{n} versions of this page are not indexed under their URLs.',
    },
    remedy: 'List indexed pages that are their own canonical URL.',
    source: localized,
    isPartial,
    find: findWhere(
      ({ pages }, alternate) =>
        alternate < pages.length && pages.isRead(alternate) && !pages.isShown(alternate),
    ),
  },
]
