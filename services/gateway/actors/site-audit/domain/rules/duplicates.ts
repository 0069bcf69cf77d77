/**
 * Rules for titles, descriptions and texts that several pages share. They compare pages that search engines may show.
 * Versions of a page for other languages or countries are not its duplicates.
 */

import { maxRelated } from '../finding-log.ts'
import { type Cluster, isSimilar, maxDistance, similarTexts } from '../similar-texts.ts'
import type { Site } from '../site.ts'
import type { FactColumn } from '../site-pages.ts'
import { type AddFinding, google, type SiteRule } from './rule.ts'

const titleLinks = google('title links', 'appearance/title-link')
const snippets = google('snippets and meta descriptions', 'appearance/snippet')
const canonicals = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')

/** Shorter texts are alike by chance. */
const minWords = 50

/** Whether some page may have more alternates than are read, so that its versions are unknown. */
const isPartial = ({ pages }: Site): boolean => pages.ids.keys().some(page => pages.isListCut(page))

export const duplicateRules: readonly SiteRule[] = [
  {
    id: 'site/title-duplicate',
    severity: 'warning',
    finds: 'A title that other indexed pages have too',
    reason: 'Readers cannot distinguish results with equal titles, and search engines may replace the title.',
    message: { one: 'Another page has the same title.', many: '{n} other pages have the same title.' },
    remedy: 'Give each page a title that names its content.',
    source: titleLinks,
    isPartial,
    find: (site, add) => findEqual(site, 'title', add),
  },
  {
    id: 'site/title-similar',
    severity: 'info',
    finds:
      'A title that differs from those of other pages only in case, digits, punctuation or the order of words',
    reason: 'Readers can hardly distinguish results with nearly equal titles.',
    message: {
      one: 'Another page has nearly the same title.',
      many: '{n} other pages have nearly the same title.',
    },
    remedy: 'Name the difference in the title.',
    source: titleLinks,
    isPartial,
    find: (site, add) => findAlike(site, 'titleLike', 'title', add),
  },
  {
    id: 'site/description-duplicate',
    severity: 'warning',
    finds: 'A meta description that other indexed pages have too',
    reason: 'It does not describe the page, and search engines show other text instead.',
    message: {
      one: 'Another page has the same meta description.',
      many: '{n} other pages have the same meta description.',
    },
    remedy: 'Describe each page, or remove the description.',
    source: snippets,
    isPartial,
    find: (site, add) => findEqual(site, 'description', add),
  },
  {
    id: 'site/description-similar',
    severity: 'info',
    finds:
      'A meta description that differs from those of other pages only in case, digits, punctuation or the order of words',
    reason: 'It says little about the page.',
    message: {
      one: 'Another page has nearly the same meta description.',
      many: '{n} other pages have nearly the same meta description.',
    },
    remedy: 'Describe what distinguishes the page.',
    source: snippets,
    isPartial,
    find: (site, add) => findAlike(site, 'descriptionLike', 'description', add),
  },
  {
    id: 'site/text-duplicate',
    severity: 'warning',
    finds: `The same text, beside menus, headers and footers, on several indexed pages; ${minWords} words or more`,
    reason: 'Search engines show one of the pages, and choose it themselves.',
    message: { one: 'Another page has the same text.', many: '{n} other pages have the same text.' },
    remedy: 'Redirect to one of them, or declare it as the canonical URL of the others.',
    source: canonicals,
    isPartial,
    find: (site, add) => findEqual(site, 'text', add, minWords),
  },
  {
    id: 'site/text-similar',
    severity: 'info',
    finds: `Nearly the same text on several indexed pages: simhashes that differ in at most ${maxDistance} of 64 bits; ${minWords} words or more`,
    reason: 'The pages compete with each other in results.',
    message: {
      one: 'Another page has nearly the same text.',
      many: '{n} other pages have nearly the same text.',
    },
    remedy: 'Merge the pages, or state what distinguishes them.',
    source: canonicals,
    isPartial,
    find: findSimilar,
  },
]

/** Returns the pages that search engines may show, with a value in the column, `words` words or more, and known versions. */
function comparable({ pages }: Site, column: FactColumn, words: number): number[] {
  const [values, counts] = [pages.column(column), pages.column('words')]
  return [...pages.ids.keys()].filter(
    page =>
      values[page] !== 0 &&
      (counts[page] as number) >= words &&
      pages.isShown(page) &&
      !pages.isListCut(page),
  )
}

function findEqual(site: Site, column: FactColumn, add: AddFinding, words = 0): undefined {
  const values = site.pages.column(column)
  for (const group of Map.groupBy(comparable(site, column, words), page => values[page]).values()) {
    const members = new Set(group)
    for (const page of group.length > 1 ? group : []) {
      const versions = versionsOf(site, page, other => members.has(other))
      const others = group.values().filter(other => other !== page && !versions.has(other))
      const count = group.length - 1 - versions.size
      if (count > 0) add(page, count, others.take(maxRelated).toArray())
    }
  }
}

/** Finds pages that are equal in one column and different in another. */
function findAlike(site: Site, column: FactColumn, exact: FactColumn, add: AddFinding): undefined {
  const [values, exactValues] = [site.pages.column(column), site.pages.column(exact)]
  for (const group of Map.groupBy(comparable(site, column, 0), page => values[page]).values()) {
    const members = new Set(group)
    const byExact = [...Map.groupBy(group, page => exactValues[page]).values()]
    for (const equal of byExact.length > 1 ? byExact : [])
      for (const page of equal) {
        const isOther = (other: number) => members.has(other) && exactValues[other] !== exactValues[page]
        const versions = versionsOf(site, page, isOther)
        const count = group.length - equal.length - versions.size
        if (count > 0) add(page, count, firstOthers(byExact, equal, versions))
      }
  }
}

function findSimilar(site: Site, add: AddFinding): string | undefined {
  const { simhashes } = site.pages
  const texts = site.pages.column('text')
  const pages = comparable(site, 'text', minWords)
  const members = new Set(pages)
  const { clusters, isCut } = similarTexts(pages, simhashes)
  for (const cluster of clusters) {
    const byText = [...Map.groupBy(cluster.pages, page => texts[page]).values()]
    const near = cluster.neighbors.map(n => (clusters[n] as Cluster).pages)
    const groups = [...byText, ...near]
    for (const equal of byText) {
      const count = cluster.pages.length - equal.length + cluster.nearPages
      for (const page of count > 0 ? equal : []) {
        const isOther = (other: number) =>
          members.has(other) && texts[other] !== texts[page] && isSimilar(simhashes, page, other)
        const versions = versionsOf(site, page, isOther)
        if (count > versions.size) add(page, count - versions.size, firstOthers(groups, equal, versions))
      }
    }
  }
  return isCut ? 'not all texts were compared: too many of them are alike in parts' : undefined
}

/**
 * Returns the versions of a page for other languages or countries that fulfill the condition. Both pages list each other as
 * alternates, so search engines treat them as versions although they are alike.
 */
function versionsOf(
  { pages, positions }: Site,
  page: number,
  holds: (other: number) => boolean,
): Set<number> {
  const own = pages.numbers[page] as number
  const listed = pages.alternatesOf(page).flatMap(url => positions.get(url) ?? [])
  return new Set(listed.filter(other => other !== page && holds(other) && pages.hasAlternate(other, own)))
}

/** Returns one page of each of the first groups, without the group of the page itself and its versions. */
const firstOthers = (
  groups: readonly (readonly number[])[],
  own: readonly number[],
  versions: ReadonlySet<number>,
): number[] =>
  groups
    .values()
    .filter(group => group !== own)
    .map(group => group.find(page => !versions.has(page)) ?? -1)
    .filter(page => page >= 0)
    .take(maxRelated)
    .toArray()
