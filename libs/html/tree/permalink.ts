/** Links from a part of a page to itself. */
import { type ChildNode, Element, Text } from 'domhandler'
import { isImage } from './image-source.ts'
import { collapse, shortTextOf } from './raw-text.ts'

/** Signs of links from a heading or a definition to itself. Docusaurus uses an invisible one. */
const sign = /^[\s\u200b\u200c\ufeff¶#§🔗⚓]+$/u

/** Returns the text of a heading without the sign of the link to itself, which is one of these elements in it. */
export function withoutSign(text: string, elements: readonly Element[]): string {
  const link = elements.find(
    element => element.name === 'a' && isPermalink(element, element.attribs.href?.trim() ?? ''),
  )
  const own = (link && shortText(link)) ?? ''
  if (text.endsWith(own)) return text.slice(0, text.length - own.length).trimEnd()
  return text.startsWith(own) ? text.slice(own.length).trimStart() : text
}

/**
 * Returns whether a link has no content but a sign, or nothing at all, and only leads to its own place on the page.
 * Publishing systems mark some of them as such.
 */
export function isPermalink(element: Element, href: string, text = shortText(element)): boolean {
  const isOfPage = href.startsWith('#')
  if (text === null) return false
  if (isOfPage && (text === '' ? element.children.every(isBare) : sign.test(text))) return true
  return sign.test(text) && permalinkClass.test(element.attribs.class ?? '')
}

const isBare = (node: ChildNode): boolean =>
  node instanceof Text || (node instanceof Element && !isImage(node) && node.children.every(isBare))

const permalinkClass =
  /(?:^|\s)(?:headerlink|permalink|heading-anchor|header-anchor|anchor(?:-?link|js-link)?|hash-link)(?=\s|$)/i

/** Maximum characters of a text that may be a sign or repeat a title. */
const maxShortText = 300

/** Returns the collapsed text of a link, or null if it is long. */
export function shortText(element: Element): string | null {
  const text = shortTextOf(element, maxShortText)
  return text === null ? null : collapse(text)
}
