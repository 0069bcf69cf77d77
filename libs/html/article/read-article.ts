/**
 * Reads the article of a page: its text without what stands around it, and who wrote it when. Any page gives
 * one; a page without an article gives its visible text, with little confidence. Linear in the page, and never throws.
 */
import type { Document, Element } from 'domhandler'
import { textOf } from '../tree/text-of.ts'
import { resolver } from './addresses.ts'
import type { Article, ArticleOptions } from './article.ts'
import { articleHtml } from './article-html.ts'
import { articleText } from './article-text.ts'
import { bylineOf } from './byline.ts'
import { bylineTexts } from './byline-texts.ts'
import { commentsOf } from './comments.ts'
import { confidenceOf } from './confidence.ts'
import { chooseContainer } from './container.ts'
import { articleNode } from './described.ts'
import { headFacts } from './head-facts.ts'
import { type Heading, headlineOf } from './headline.ts'
import { keptTree, type Resolve } from './kept-tree.ts'
import { leadElements } from './lead.ts'
import { outline } from './outline.ts'
import { pageKindOf } from './page-kind.ts'
import { type About, prune } from './pruning.ts'
import { modifiedOf, publishedOf } from './published.ts'
import { type Reading, read } from './reading.ts'
import { countWords, readingTime } from './reading-time.ts'
import { siteNameOf, siteNamer } from './site-name.ts'
import { excerptOf, leadImageOf } from './summary.ts'
import { titlePlace } from './title-place.ts'

/**
 * @param document The whole page, as `parseTree` reads it; it is not changed.
 * @param options The page's address, to which links are resolved; what its JSON-LD says when that is known.
 */
export function readArticle(document: Document, { url, structured }: ArticleOptions): Article {
  const facts = headFacts(document, structured)
  const page = outline(document)
  const pageKind = pageKindOf(page.elements, facts.described, url)
  const reading = read(page, pageKind, url)
  const container = chooseContainer(reading)
  const node = articleNode(facts.described)
  const siteName = siteNameOf(facts)
  const isSite = siteNamer(siteName, url)
  const title = headlineOf({ facts, node, headings: headingsOf(reading), isSite })
  const place = titlePlace(page, title, container)
  const dated = { facts, node, page, place, url }
  const published = publishedOf(dated)
  const byline = bylineOf({ facts, node, texts: bylineTexts(reading, place, pageKind === 'forum'), isSite })
  const resolve = resolver(url, facts.base)
  const nodes = keptNodes({ document, reading, container, place, resolve, about: { title, byline } })
  const text = articleText(nodes)
  const wordCount = countWords(text)
  const marks = { titled: title !== null, dated: published !== null, signed: byline !== null }
  return {
    title,
    byline,
    published,
    modified: modifiedOf(dated),
    siteName,
    lang: facts.lang,
    leadImage: leadImageOf(facts, node, nodes, resolve),
    excerpt: excerptOf(facts, node, text),
    text,
    content: articleHtml(nodes),
    nodes,
    comments: pageKind === 'forum' ? null : commentsOf(reading),
    confidence: confidenceOf({ reading, container, words: wordCount, ...marks }),
    wordCount,
    readingTimeMinutes: readingTime(wordCount),
  }
}

function headingsOf({ page }: Reading): Heading[] {
  const found: Heading[] = []
  for (const element of page.elements) {
    if (found.length === mostHeadings) break
    if (/^h[1-3]$/.test(element.name)) found.push({ level: Number(element.name[1]), text: textOf(element) })
  }
  return found.filter(({ text }) => text !== '')
}

const mostHeadings = 40

type Choice = {
  document: Document
  reading: Reading
  container: number
  place: number
  resolve: Resolve
  about: About
}

/** What is kept; the whole page where that would be nothing. */
function keptNodes(choice: Choice): Document {
  const { document, reading, container, place, resolve, about } = choice
  const { elements, ends } = reading.page
  const { dropped } = prune(reading, container, about)
  const kept = new Set<Element>()
  const to = container < 0 ? elements.length : (ends[container] ?? 0)
  for (let at = Math.max(0, container); at < to; at++) {
    const element = elements[at]
    if (element !== undefined && dropped[at] !== 1) kept.add(element)
  }
  const leads = leadElements(reading, place, container).flatMap(at => elements[at] ?? [])
  for (const lead of leads) kept.add(lead)
  const nodes = [...leads, ...(elements[container] ?? document).children]
  const tree = keptTree(nodes, element => kept.has(element), resolve)
  if (tree.children.length > 0 || reading.page.blocks.length === 0) return tree
  const shown = new Set(elements)
  return keptTree(document.children, element => shown.has(element), resolve)
}
