/**
 * Writes the pages of a crawl as an llms.txt (llmstxt.org): the name of the site, its description, and its pages with
 * their descriptions, in sections by the folders of their URLs.
 */
import { decodedWord } from '@tidemark/url/escapes'

export type DescribedPage = {
  url: string
  title: string | null
  description: string | null
  siteName: string | null
}

export type LlmsTxtOptions = {
  /** The requested URL. */
  url: string
  siteName?: string | undefined
  summary?: string | undefined
}

/** Matches pages that are less important. They are listed last, in the section Optional. */
const optional =
  /(?:^|[/._-])(?:privacy|terms|tos|legal|imprint|impressum|datenschutz|cookies?|disclaimer|login|signin|sign-in|signup|register|account|cart|checkout|search|tags?|categor(?:y|ies)|authors?|archives?|page|feed|sitemap|404)(?:$|[/._-])/i

/** Minimum number of pages for a section of its own. */
const minOfSection = 2
const maxTitleLength = 200
const maxNoteLength = 300
const firstSection = 'Pages'
const lastSection = 'Optional'

/**
 * Returns the text of the file.
 * @param pages in the order of their discovery; the home page, if it is among them, names the site
 */
export function llmsTxtOf(pages: readonly DescribedPage[], options: LlmsTxtOptions): string {
  const home = pages.find(({ url }) => url === options.url) ?? pages[0]
  const own = home?.siteName ?? home?.title ?? new URL(options.url).host
  const name = oneLine(options.siteName ?? own)
  const summary = oneLine(options.summary ?? escaped(home?.description ?? ''))
  const sections = [...sectionsOf(pages)].map(([title, listed]) =>
    [`## ${title}`, '', ...listed.map(page => entry(page, name))].join('\n'),
  )
  const title = name.slice(0, maxTitleLength)
  const head = [`# ${options.siteName === undefined ? escaped(title) : title}`]
  if (summary !== '') head.push(`> ${summary}`)
  return `${[...head, ...sections].join('\n\n')}\n`
}

/**
 * Returns the pages by section, in the order of the first page of each. Folders with one page share a section, and
 * optional pages are last.
 */
function sectionsOf(pages: readonly DescribedPage[]): Map<string, DescribedPage[]> {
  const main = pages.filter(({ url }) => !optional.test(pathOf(url)))
  const sizes = new Map<string, number>()
  for (const { url } of main) sizes.set(placeOf(url), (sizes.get(placeOf(url)) ?? 0) + 1)
  const sections = new Map<string, DescribedPage[]>()
  for (const page of main) {
    const place = placeOf(page.url)
    const isSection = place !== '' && (sizes.get(place) ?? 0) >= minOfSection
    join(sections, isSection ? headingOf(place) : firstSection, page)
  }
  for (const page of pages) if (optional.test(pathOf(page.url))) join(sections, lastSection, page)
  return sections
}

function join(sections: Map<string, DescribedPage[]>, title: string, page: DescribedPage): void {
  const section = sections.get(title)
  if (section) section.push(page)
  else sections.set(title, [page])
}

const pathOf = (url: string): string => new URL(url).pathname

/** Returns the first folder of a URL; empty: the URL is a file at the top level. */
function placeOf(url: string): string {
  const [, first = '', ...rest] = pathOf(url).split('/')
  return rest.length > 0 ? first : first.includes('.') ? '' : first
}

/** Returns the heading for a folder: `Getting started` for `getting-started`. */
function headingOf(place: string): string {
  const words = oneLine(decodedWord(place).replace(/[-_+]+/g, ' '))
  return escaped(words.slice(0, 1).toUpperCase() + words.slice(1))
}

function entry({ url, title, description }: DescribedPage, siteName: string): string {
  const named = oneLine(title ?? '') || pathOf(url)
  const text = escaped(withoutSite(named, siteName).slice(0, maxTitleLength))
  const note = escaped(oneLine(description ?? '').slice(0, maxNoteLength))
  return `- [${text}](${url.replace(/[()]/g, encoded)})${note === '' ? '' : `: ${note}`}`
}

/** Removes the name of the site from a title: `Prices | Example` becomes `Prices`. */
function withoutSite(title: string, siteName: string): string {
  const [first = title, ...rest] = title.split(/\s+[|–—·»-]\s+/)
  return rest.length > 0 && rest.join(' ').toLowerCase() === siteName.toLowerCase() ? first : title
}

const encoded = (bracket: string): string => (bracket === '(' ? '%28' : '%29')

/** Returns the text in one line. Control characters count as white space, so that none reaches a terminal. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

/** Escapes the text of a page, so that it creates no link, no picture and no HTML. */
const escaped = (text: string): string => text.replace(/[[\]\\<]/g, '\\$&')
