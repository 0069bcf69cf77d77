/**
 * Reads the article of a page: its text without the content around it, its authors and its date. Any page gives a
 * result. For a page without an article it is the visible text, with low confidence. Linear in the page, and never
 * throws. Only the text and its dependencies are computed immediately, all else on demand.
 */
import { type ChildNode, Document, Element } from 'domhandler'
import { textOf } from '../tree/text-of.ts'
import type { Article, ArticleOptions } from './article.ts'
import { chooseContainer } from './container.ts'
import { bylineOf } from './facts/byline.ts'
import { bylineTexts } from './facts/byline-texts.ts'
import { articleNode } from './facts/described.ts'
import { headFacts } from './facts/head-facts.ts'
import { type Heading, headlineOf } from './facts/headline.ts'
import { lostHeadline } from './facts/lost-headline.ts'
import { siteNameOf, siteNamer } from './facts/site-name.ts'
import { titlePlace } from './facts/title-place.ts'
import { keptTree, type Resolve } from './kept-tree.ts'
import { leadElements } from './lead.ts'
import { outline } from './outline.ts'
import { PageArticle } from './page-article.ts'
import { pageKindOf } from './page-kind.ts'
import { type About, prune } from './pruning.ts'
import { type Reading, read } from './reading.ts'

/**
 * Reads an article.
 * @param document The whole page from `parseTree`, which is not changed.
 * @param options The page's address, to which links are resolved; its JSON-LD if that is known; and whether its
 * headline stays in the text.
 */
export function readArticle(document: Document, options: ArticleOptions): Article {
  const { url, structured, withHeadline = false } = options
  const facts = headFacts(document, structured)
  const page = outline(withBody(document))
  const pageKind = pageKindOf(page.elements, facts.described, url)
  const reading = read(page, pageKind, url)
  const container = chooseContainer(reading)
  const node = articleNode(facts.described)
  const siteName = siteNameOf(facts)
  const isSite = siteNamer(siteName, url)
  const title = headlineOf({ facts, node, headings: headingsOf(reading), isSite })
  const place = titlePlace(page, title, container)
  const dated = { facts, node, page, place, url }
  const byline = bylineOf({ facts, node, texts: bylineTexts(reading, place, pageKind === 'forum'), isSite })
  const resolve = resolver(url, facts.base)
  const about = { title, byline }
  const nodes = keptNodes({ document, reading, container, place, resolve, about, withHeadline })
  return new PageArticle({ dated, title, byline, siteName, reading, container, nodes, resolve })
}

/**
 * Returns the document with a body. A page may omit these tags (WHATWG HTML, 13.1.2.4), but one element must contain
 * everything.
 */
function withBody(document: Document): Document {
  const hasOne = document.children.some(node => node instanceof Element && around.has(node.name))
  return hasOne ? document : new Document([new Element('body', {}, document.children)])
}

const around = new Set(['html', 'body'])

function headingsOf({ page }: Reading): Heading[] {
  const found: Heading[] = []
  for (const element of page.elements) {
    if (found.length === maxHeadings) break
    const level = levels.get(element.name)
    if (level !== undefined) found.push({ level, text: textOf(element) })
  }
  return found.filter(({ text }) => text !== '')
}

const maxHeadings = 40
const levels = new Map([
  ['h1', 1],
  ['h2', 2],
  ['h3', 3],
])

type Choice = {
  document: Document
  reading: Reading
  container: number
  place: number
  resolve: Resolve
  about: About
  withHeadline: boolean
}

/** Returns the kept nodes, or the whole page if that is empty. */
function keptNodes(choice: Choice): Document {
  const { document, reading, container, place, resolve, about, withHeadline } = choice
  const { elements, ends } = reading.page
  const pruned = prune(reading, container, about)
  const { dropped } = pruned
  const kept = new Set<Element>()
  const to = container < 0 ? elements.length : (ends[container] ?? 0)
  for (let at = Math.max(0, container); at < to; at++) {
    const element = elements[at]
    if (element !== undefined && dropped[at] !== 1) kept.add(element)
  }
  const leads = leadElements(reading, place, container).flatMap(at => elements[at] ?? [])
  for (const lead of leads) kept.add(lead)
  const nodes = [...leads, ...(elements[container] ?? document).children]
  const copy = (from: ChildNode[]) => keptTree(from, element => kept.has(element), resolve)
  const tree = copy(nodes)
  if (tree.children.length > 0 || reading.page.blocks.length === 0) {
    const range = { title: about.title, place, container, to }
    const headline = withHeadline ? lostHeadline(reading, pruned, range) : -1
    const [heading, ...within] = headline < 0 ? [] : elements.slice(headline, ends[headline])
    if (heading === undefined) return tree
    for (const element of [heading, ...within]) kept.add(element)
    return copy(headline > container && headline < to ? nodes : [heading, ...nodes])
  }
  const shown = new Set(elements)
  return keptTree(document.children, element => shown.has(element), resolve)
}

/**
 * Returns a function that makes addresses absolute. It returns null for all but web, mail and telephone addresses.
 */
function resolver(url: string, base: string | null): Resolve {
  const from = (base === null ? null : URL.parse(base, url))?.href ?? url
  let left = maxCharacters
  return address => {
    if (address.length > maxAddressLength || left < 0) return null
    const found = URL.parse(address.trim(), from)
    if (found === null || !schemes.has(found.protocol) || found.href.length > maxAddressLength) return null
    left -= found.href.length
    return found.href
  }
}

const schemes = new Set(['http:', 'https:', 'mailto:', 'tel:'])
const maxAddressLength = 8192
/** Maximum characters of all addresses. With a long base, few bytes of a page can expand a hundredfold. */
const maxCharacters = 8 * 1024 ** 2
