/** The content of an llms.txt before it is written: the name, the summary, and the entries in sections. Pure. */
import type { LeftOut } from '@tidemark/contracts/http/llms-txt'
import type { ListedPage } from './listed-page.ts'
import { firstSentence, oneLine, shortened } from './markdown-text.ts'
import { type NoiseReason, noiseOf } from './noise.ts'
import { sectionsOf } from './sections.ts'
import { titlesOf } from './titles.ts'

export type GuideOptions = {
  /** The requested URL. */
  url: string
  siteName?: string | undefined
  summary?: string | undefined
}

export type Entry = { url: string; title: string; note: string; main: string | null }

export type SiteGuide = {
  name: string
  summary: string
  sections: { title: string; entries: Entry[] }[]
  leftOut: LeftOut[]
}

const maxNameLength = 200
const maxTitleLength = 200
const maxNoteLength = 300

/** @param pages in the order of their discovery; the home page, if it is among them, names the site */
export function siteGuideOf(pages: readonly ListedPage[], options: GuideOptions): SiteGuide {
  const home = pages.find(({ url }) => url === options.url) ?? pages[0]
  const { listed, leftOut } = sorted(pages, home)
  const stated = options.siteName ?? home?.siteName ?? null
  const titles = titlesOf(listed, stated)
  const name = oneLine(stated ?? titles.shared ?? home?.title ?? '') || new URL(options.url).host
  const described = Map.groupBy(listed, ({ description }) => oneLine(description ?? ''))
  const entryOf = (page: ListedPage): Entry => ({
    url: page.url,
    title: shortened(oneLine(titles.of(page)), maxTitleLength),
    note: noteOf(page, described),
    main: page.main,
  })
  return {
    name: shortened(name, maxNameLength),
    summary: oneLine(options.summary ?? summaryOf(home)),
    sections: sectionsOf(listed, home, titles).map(({ title, pages }) => ({
      title: oneLine(title),
      entries: pages.map(entryOf),
    })),
    leftOut,
  }
}

/** The page from which the site is read is always listed. */
function sorted(pages: readonly ListedPage[], home: ListedPage | undefined) {
  const urls = new Set(pages.map(({ url }) => url))
  const listed: ListedPage[] = []
  const leftOut: LeftOut[] = []
  for (const page of pages) {
    const reason = page === home ? null : noiseOf(page, url => urls.has(url))
    if (reason === null) listed.push(page)
    else leftOut.push({ url: page.url, reason, sentence: sentences[reason] })
  }
  return { listed, leftOut }
}

const sentences: Record<NoiseReason, string> = {
  login: 'The page is a form to sign in or out.',
  account: 'The page is an account, a registration or a cart.',
  search: 'The page shows results of a search.',
  tags: 'The page lists the pages of a tag.',
  print: 'The page is the print version of another page.',
  pagination: 'The page is a further part of a list.',
}

/** Prefers the stated description, unless other pages state the same. */
function noteOf(page: ListedPage, described: Map<string, ListedPage[]>): string {
  const stated = oneLine(page.description ?? '')
  const isOwn = stated !== '' && described.get(stated)?.length === 1
  const note = (isOwn ? stated : null) ?? (page.main ? firstSentence(page.main) : null) ?? stated
  return shortened(note, maxNoteLength)
}

const summaryOf = (home: ListedPage | undefined): string =>
  oneLine(home?.description ?? '') || (home?.main && firstSentence(home.main)) || ''
