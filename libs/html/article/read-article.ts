/**
 * Reads the article of a page: its text without the content around it, its authors and its date. Any page gives a
 * result. For a page without an article it is the visible text, with low confidence. Linear in the page, and never
 * throws. Only the text and its dependencies are computed immediately, all else on demand.
 */
import { type ChildNode, type Document, Element } from 'domhandler'
import { linkSchemes } from '../markdown/destination.ts'
import { baseOf } from '../tree/base-of.ts'
import { Article } from './article.ts'
import { bodyInData } from './body-in-data.ts'
import { type Choice, chosen, keepsText } from './chosen.ts'
import { isInline, unread } from './element-kinds.ts'
import { lostHeadline } from './facts/lost-headline.ts'
import { keptTree, type Resolve } from './kept-tree.ts'

type ArticleOptions = {
  /** The page's address. */
  url: string
  /** The objects of the page's JSON-LD, if they have been read already. */
  structured?: readonly object[]
  /** Whether the heading with the title is part of the text. Without it, only `title` has it. */
  withHeadline?: boolean
}

/**
 * Reads an article.
 * @param document The whole page from `parseTree`, which is not changed.
 * @param options The page's address, to which links are resolved; its JSON-LD if that is known; and whether its
 * headline stays in the text.
 * @param choice The content of the page, if it has been chosen already.
 */
export function readArticle(
  document: Document,
  options: ArticleOptions,
  choice: Choice = chosen(document, options.url, options.structured),
): Article {
  const { url, withHeadline = false } = options
  const { facts, node, reading, titleBlock, container, title, byline, siteName } = choice
  const resolve = resolver(baseOf(document, url))
  const body = bodyInData(choice, withHeadline ? title : null)
  const nodes =
    body === null
      ? keptNodes(document, choice, resolve, withHeadline)
      : keptTree(body.children, element => !unread.has(element.name), resolve)
  const dated = { facts, node, reading, titleBlock, url }
  return new Article({ dated, title, byline, siteName, reading, container, nodes, resolve })
}

/** Returns the kept nodes, or the whole page if that is empty. */
function keptNodes(document: Document, choice: Choice, resolve: Resolve, withHeadline: boolean): Document {
  const { reading, container, to, leads } = choice
  const kept = new Set(choice.kept)
  const { elements, ends } = reading.page
  const around = elements[container] ?? document
  const isCode =
    around instanceof Element &&
    around.name === 'pre' &&
    elements.slice(container, to).every(element => kept.has(element) || isInline(element)) // others separate words
  const nodes = [...leads.map(at => elements[at] as Element), ...(isCode ? [around] : around.children)]
  const copy = (from: ChildNode[]) => keptTree(from, element => kept.has(element), resolve)
  const tree = copy(nodes)
  if (tree.children.length > 0 && (keepsText(choice) || reading.page.blocks.length === 0)) {
    const headline = withHeadline ? lostHeadline(choice) : -1
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
function resolver(base: string): Resolve {
  let left = maxCharacters
  return address => {
    if (address.length > maxAddressLength || left < 0) return null
    const found = URL.parse(address.trim(), base)
    if (found === null || !linkSchemes.has(found.protocol) || found.href.length > maxAddressLength)
      return null
    left -= found.href.length
    return found.href
  }
}

const maxAddressLength = 8192
/** Maximum characters of all addresses. With a long base, few bytes of a page can expand a hundredfold. */
const maxCharacters = 8 * 1024 ** 2
