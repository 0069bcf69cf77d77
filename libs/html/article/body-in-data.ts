/** Finds the text of an article that a page has only in its JSON-LD, because scripts show it or readers must pay. */
import { type Document, Element, Text } from 'domhandler'
import { parseTree, setChildren } from '../tree/parse-tree.ts'
import { textOf } from '../tree/text-of.ts'
import type { Choice } from './chosen.ts'

/** Minimum characters of such a text. Shorter ones are summaries. */
const minLength = 200
/**
 * Minimum length of such a text, as a multiple of the text that the page shows. Otherwise the text of the page is
 * better, because it has the structure.
 */
const minTimes = 3

const markup = /<\/?(?:p|br|div|span|h[1-6]|[uo]l|li|blockquote|strong|em|a)\b/i

/**
 * Returns the text, or null if the page shows most of it.
 * @param headline The title, if the text begins with it.
 */
export function bodyInData({ node, reading, container }: Choice, headline: string | null): Document | null {
  const body = node?.articleBody
  const shown = container < 0 ? 0 : reading.prose.of(container)
  const min = Math.max(minLength, shown * minTimes)
  if (typeof body !== 'string' || body.length < min) return null
  const tree = parseTree(markup.test(body) ? body : `<p>${body.trim().split(/\n+/).join('<p>')}`)
  if (textOf(tree).length < min) return null
  if (headline === null) return tree
  const heading = new Element('h1', {})
  setChildren(heading, [new Text(headline)])
  setChildren(tree, [heading, ...tree.children])
  return tree
}
