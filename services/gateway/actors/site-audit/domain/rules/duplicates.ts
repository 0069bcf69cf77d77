/** Rules for titles, descriptions and texts that several pages share. They compare pages that search engines may show. */

import { maxRelated } from '../finding-log.ts'
import { type Cluster, maxDistance, similarTexts } from '../similar-texts.ts'
import type { Site } from '../site.ts'
import type { FactColumn } from '../site-pages.ts'
import { type AddFinding, eachPage, google, type SiteRule } from './rule.ts'

const titleLinks = google('title links', 'appearance/title-link')
const snippets = google('snippets and meta descriptions', 'appearance/snippet')
const canonicals = google('canonical URLs', 'crawling-indexing/consolidate-duplicate-urls')

/** Shorter texts are alike by chance. */
const minWords = 50

export const duplicateRules: readonly SiteRule[] = [
  {
    id: 'site/title-duplicate',
    severity: 'warning',
    finds: 'A title that other indexed pages have too',
    reason: 'Readers cannot distinguish results with equal titles, and search engines may replace the title.',
    says: { one: 'Another page has the same title.', many: '{n} other pages have the same title.' },
    remedy: 'Give each page a title that names its content.',
    source: titleLinks,
    find: (site, add) => findEqual(site, 'title', add),
  },
  {
    id: 'site/title-similar',
    severity: 'info',
    finds:
      'A title that differs from those of other pages only in case, digits, punctuation or the order of words',
    reason: 'Readers can hardly distinguish results with nearly equal titles.',
    says: {
      one: 'Another page has nearly the same title.',
      many: '{n} other pages have nearly the same title.',
    },
    remedy: 'Name the difference in the title.',
    source: titleLinks,
    find: (site, add) => findAlike(site, 'titleLike', 'title', add),
  },
  {
    id: 'site/description-duplicate',
    severity: 'warning',
    finds: 'A meta description that other indexed pages have too',
    reason: 'It does not describe the page, and search engines show other text instead.',
    says: {
      one: 'Another page has the same meta description.',
      many: '{n} other pages have the same meta description.',
    },
    remedy: 'Describe each page, or remove the description.',
    source: snippets,
    find: (site, add) => findEqual(site, 'description', add),
  },
  {
    id: 'site/description-similar',
    severity: 'info',
    finds:
      'A meta description that differs from those of other pages only in case, digits, punctuation or the order of words',
    reason: 'It says little about the page.',
    says: {
      one: 'Another page has nearly the same meta description.',
      many: '{n} other pages have nearly the same meta description.',
    },
    remedy: 'Describe what distinguishes the page.',
    source: snippets,
    find: (site, add) => findAlike(site, 'descriptionLike', 'description', add),
  },
  {
    id: 'site/text-duplicate',
    severity: 'warning',
    finds: `The same text, beside menus, headers and footers, on several indexed pages; ${minWords} words or more`,
    reason: 'Search engines show one of the pages, and choose it themselves.',
    says: { one: 'Another page has the same text.', many: '{n} other pages have the same text.' },
    remedy: 'Redirect to one of them, or declare it as the canonical URL of the others.',
    source: canonicals,
    find: (site, add) => findEqual(site, 'text', add, minWords),
  },
  {
    id: 'site/text-similar',
    severity: 'info',
    finds: `Nearly the same text on several indexed pages: simhashes that differ in at most ${maxDistance} of 64 bits; ${minWords} words or more`,
    reason: 'The pages compete with each other in results.',
    says: {
      one: 'Another page has nearly the same text.',
      many: '{n} other pages have nearly the same text.',
    },
    remedy: 'Merge the pages, or state what distinguishes them.',
    source: canonicals,
    find: findSimilar,
  },
]

/** Returns the pages that search engines may show, with a value in the column and at least `words` words. */
function comparable(site: Site, column: FactColumn, words: number): number[] {
  const [values, counts] = [site.pages.column(column), site.pages.column('words')]
  const isComparable = (page: number) => values[page] !== 0 && (counts[page] as number) >= words
  return [...eachPage(site)].filter(page => isComparable(page) && site.pages.isShown(page))
}

function findEqual(site: Site, column: FactColumn, add: AddFinding, words = 0): undefined {
  const values = site.pages.column(column)
  for (const group of Map.groupBy(comparable(site, column, words), page => values[page]).values())
    for (const page of group.length > 1 ? group : []) add(page, group.length - 1, firstOthers(group, page))
}

/** Finds pages that are equal in one column and different in another. */
function findAlike(site: Site, column: FactColumn, exact: FactColumn, add: AddFinding): undefined {
  const [values, exactValues] = [site.pages.column(column), site.pages.column(exact)]
  for (const group of Map.groupBy(comparable(site, column, 0), page => values[page]).values()) {
    const byExact = Map.groupBy(group, page => exactValues[page])
    const firsts = [...byExact.values()].slice(0, maxRelated + 1).map(([first = 0]) => first)
    for (const equal of byExact.size > 1 ? byExact.values() : []) {
      const related = firsts.filter(first => first !== equal[0])
      for (const page of equal) add(page, group.length - equal.length, related)
    }
  }
}

function findSimilar(site: Site, add: AddFinding): string | undefined {
  const texts = site.pages.column('text')
  const pages = comparable(site, 'text', minWords)
  const { clusters, isCut } = similarTexts(pages, site.pages.simhashes)
  for (const cluster of clusters) {
    const byText = Map.groupBy(cluster.pages, page => texts[page])
    const firsts = [...byText.values()].slice(0, maxRelated + 1).map(([first = 0]) => first)
    const near = cluster.neighbors.map(n => (clusters[n] as Cluster).pages[0] as number)
    for (const equal of byText.values()) {
      const count = cluster.pages.length - equal.length + cluster.nearPages
      const related = [...firsts.filter(first => first !== equal[0]), ...near]
      for (const page of count > 0 ? equal : []) add(page, count, related)
    }
  }
  return isCut ? 'not all texts were compared: too many of them are alike in parts' : undefined
}

const firstOthers = (group: readonly number[], page: number): number[] =>
  group.slice(0, maxRelated + 1).filter(other => other !== page)
