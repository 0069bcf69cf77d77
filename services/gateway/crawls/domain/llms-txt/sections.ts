/**
 * The sections of an llms.txt, named by the site itself: by its menus, the breadcrumbs of pages, the titles of the index
 * pages above them, or the headings above links. A page without such a name is in the first section.
 */
import { normalForm } from '@tidemark/url/normal-form'
import type { ListedPage } from './listed-page.ts'
import { addLabels, type Labels } from './outline.ts'
import type { Titles } from './titles.ts'

export type Section = { title: string; pages: ListedPage[] }

/** Paths of pages for the last section, which readers with little space leave out (llmstxt.org). */
const optional =
  /(?:^|[/._-])(?:privacy|terms|tos|legal|imprint|impressum|datenschutz|cookies?|disclaimer|categor(?:y|ies)|authors?|archives?|sitemap)(?:$|[/._-])/i

/** Minimum number of pages for a section of its own. */
const minOfSection = 2
/** Maximum number of folders above a page that are searched for an index page: the highest come first. */
const maxFolders = 20
const firstSection = 'Pages'
const lastSection = 'Optional'

/** @param pages in the order of their discovery @param home the page that names the site */
export function sectionsOf(
  pages: readonly ListedPage[],
  home: ListedPage | undefined,
  titles: Titles,
): Section[] {
  const isOptional = (page: ListedPage) => page !== home && optional.test(new URL(page.url).pathname)
  const main = pages.filter(page => !isOptional(page))
  const names = namesOf(main, home, titles)
  const sections = new Map<string, Section>()
  for (const page of main) join(sections, names.get(page) ?? firstSection, page)
  for (const page of pages) if (isOptional(page)) join(sections, lastSection, page)
  const all = [...sections.values()]
  return [
    ...all.filter(({ title }) => title === firstSection),
    ...all.filter(({ title }) => title !== firstSection),
  ]
}

function join(sections: Map<string, Section>, title: string, page: ListedPage): void {
  const section = sections.get(title.toLowerCase())
  if (section) section.pages.push(page)
  else sections.set(title.toLowerCase(), { title, pages: [page] })
}

/** Returns the names of sections by page. The most reliable kind of name comes first. A name needs two pages. */
function namesOf(
  pages: readonly ListedPage[],
  home: ListedPage | undefined,
  titles: Titles,
): Map<ListedPage, string> {
  const labels = new Map<string, Labels>()
  for (const { whole, main } of pages) if (whole !== undefined) addLabels(labels, whole, main ?? '')
  const keyed = new Map(pages.map(page => [page, normalForm(page.url) ?? page.url]))
  const labelsOf = (page: ListedPage): Labels | undefined => labels.get(keyed.get(page) ?? '')
  const indexes = indexesOf(pages, home)
  const kinds: ((page: ListedPage) => readonly string[])[] = [
    page => labelsOf(page)?.menu ?? [],
    page => page.breadcrumbs.slice(1, 2),
    page => indexAbove(page, indexes).map(index => titles.of(index)),
    page => labelsOf(page)?.heading ?? [],
  ]
  const names = new Map<ListedPage, string>()
  for (const kind of kinds) {
    const left = pages.filter(page => page !== home && !names.has(page))
    const candidates = new Map(left.map(page => [page, kind(page).filter(isName)]))
    const isShared = sharedNames([...candidates.values()].flat())
    for (const [page, found] of candidates) {
      const name = found.find(isShared)
      if (name !== undefined) names.set(page, name)
    }
  }
  const isShared = sharedNames(names.values())
  return new Map([...names].filter(([, name]) => isShared(name)))
}

const isName = (name: string): boolean => {
  const key = name.trim().toLowerCase()
  return key !== '' && key !== lastSection.toLowerCase() && key !== firstSection.toLowerCase()
}

/** Returns whether enough pages for a section have a name. Case does not count. */
function sharedNames(names: Iterable<string>): (name: string) => boolean {
  const pages = Map.groupBy(names, name => name.toLowerCase())
  return name => (pages.get(name.toLowerCase())?.length ?? 0) >= minOfSection
}

/** Returns the index pages of folders by the path of the folder, without the home page. */
function indexesOf(pages: readonly ListedPage[], home: ListedPage | undefined): Map<string, ListedPage> {
  const indexes = new Map<string, ListedPage>()
  for (const page of pages) {
    const url = new URL(page.url)
    const folder = url.pathname.replace(/(?:\/|\/index\.\w+|\.html?)$/, '')
    if (page !== home && folder !== '' && url.search === '') indexes.set(url.origin + folder, page)
  }
  return indexes
}

/**
 * Returns the index page of the highest folder that contains the page; for an index page without an index page above
 * it, the page itself.
 */
function indexAbove({ url }: ListedPage, indexes: Map<string, ListedPage>): ListedPage[] {
  const { origin, pathname } = new URL(url)
  const words = pathname.split('/', maxFolders + 1).slice(1)
  for (let count = 1; count <= words.length; count++) {
    const folder = `/${words.slice(0, count).join('/')}`.replace(/(?:\/index\.\w+|\.html?)$/, '')
    const index = indexes.get(origin + folder)
    if (index !== undefined) return [index]
  }
  return []
}
