/**
 * The pages of a crawl as an llms.txt: the site's name, its description, and its pages with their descriptions, in
 * sections by the folders of their URLs (llmstxt.org). Pure.
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

/** Less important for readers of the site: it comes last, where a short reading may leave it out. */
const optional =
  /(?:^|[/._-])(?:privacy|terms|tos|legal|imprint|impressum|datenschutz|cookies?|disclaimer|login|signin|sign-in|signup|register|account|cart|checkout|search|tags?|categor(?:y|ies)|authors?|archives?|page|feed|sitemap|404)(?:$|[/._-])/i

/** Minimum number of pages for a section of its own. */
const minOfSection = 2
const maxTitleLength = 200
const maxNoteLength = 300
const firstSection = 'Pages'
const lastSection = 'Optional'

/** @param pages in the order of their discovery; the home page, if it is among them, names the site */
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

/** In the order of their first pages; single pages are together, and optional ones at the end. */
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

/** The first folder of a URL; null at the top level, where a file is not in a folder. */
function placeOf(url: string): string {
  const [, first = '', ...rest] = pathOf(url).split('/')
  return rest.length > 0 ? first : first.includes('.') ? '' : first
}

/** `getting-started` is Getting started. */
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

/** `Prices | Example` is Prices on a site that is called Example. */
function withoutSite(title: string, siteName: string): string {
  const [first = title, ...rest] = title.split(/\s+[|–—·»-]\s+/)
  return rest.length > 0 && rest.join(' ').toLowerCase() === siteName.toLowerCase() ? first : title
}

const encoded = (bracket: string): string => (bracket === '(' ? '%28' : '%29')

/** Control characters separate words like white space: none of them reaches a terminal that shows the text. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

/** Words of a page stay words: no link, no picture and no HTML of its own. */
const escaped = (text: string): string => text.replace(/[[\]\\<]/g, '\\$&')
