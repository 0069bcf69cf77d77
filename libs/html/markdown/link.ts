/**
 * Rules of links. Markdown has links only within a line, so a link around whole blocks moves to its most readable
 * part.
 */
import { type ChildNode, Element, type ParentNode, Text } from 'domhandler'
import { attribute } from '../tree/attribute.ts'
import { isInline } from '../tree/inline.ts'
import { lettersOf } from '../tree/letters-of.ts'
import { isPermalink, shortText } from '../tree/permalink.ts'
import { collapse } from '../tree/raw-text.ts'
import { walk } from '../tree/walk.ts'
import { isLinkAddress, targetOf } from './destination.ts'
import { block } from './rule.ts'
import type { Writer } from './writer.ts'

export function link(writer: Writer, element: Element): boolean {
  const { inline } = writer
  const label = writer.referenceOf(element)
  if (label !== undefined) {
    inline.atom(`[^${label}]`)
    return false
  }
  const href = element.attribs.href?.trim()
  if (href === undefined || inline.isMarked('link')) return true
  const text = shortText(element)
  if (isPermalink(element, href, text)) return false
  // A heading that links to its entry in a table of contents is only text.
  if (href.startsWith('#') && isHeading(element.parent)) return true
  const address = writer.resolve(href)
  if (address === null || !isLinkAddress(address)) return true
  writeLink(writer, element, targetOf(address, titleOf(element, text)))
  return true
}

const isHeading = (node: ParentNode | null): boolean => node instanceof Element && /^h[1-6]$/.test(node.name)

/** Returns the title of a link, or null for one that repeats the text, possibly in a longer name: `os.path.join`. */
function titleOf({ attribs: { title } }: Element, text: string | null): string | null {
  if (title === undefined || text === null) return title ?? null
  const [stated, read] = [lettersOf(title), lettersOf(text)]
  return stated === read || (read !== '' && stated.endsWith(read) && !/\s/.test(title.trim())) ? null : title
}

function writeLink(writer: Writer, element: Element, target: string): void {
  const { blocks, heading, complex } = contentOf(element)
  if (heading !== null && !writer.isFlat) writer.linked.set(heading, target)
  else if (!complex || writer.isFlat) whole(writer, element, target, blocks)
  else if (blocks !== null) writer.linked.set(blocks, target)
}

/** Writes the link around its whole content on one line. Spaces separate its blocks. */
function whole(writer: Writer, element: Element, target: string, blocks: Element | null): void {
  const { inline } = writer
  if (blocks !== null) block(writer, element)
  writer.mark(element, 'link', target)
  const { added } = inline
  writer.atEnd(element, () => {
    if (inline.added === added) inline.text(nameOf(element))
  })
  if (blocks !== null) writer.flatten(element, 'space')
}

/** Returns the name of a link without visible text. */
const nameOf = (element: Element): string =>
  collapse(attribute(element, 'aria-label') ?? attribute(element, 'title') ?? '')

const plain = new Set(
  'p div section article figure figcaption header footer aside main address center'.split(' '),
)
const rich = new Set('ul ol dl table pre blockquote hr details'.split(' '))

type Content = { heading: Element | null; blocks: Element | null; complex: boolean }

/** Returns the first heading and the first block in a link, and whether it has blocks that need separate lines. */
function contentOf(link: Element): Content {
  const content: Content = { heading: null, blocks: null, complex: false }
  if (link.children.every(isSimple)) return content
  walk(link, {
    enter: element => {
      if (isHeading(element)) content.heading ??= element
      if (isHeading(element) || plain.has(element.name) || rich.has(element.name)) content.blocks ??= element
      if (rich.has(element.name)) content.complex = true
      return content.heading === null && element.name !== 'a'
    },
  })
  return content
}

/** Returns whether a node is text, or an element of only text that is not a block. */
const isSimple = (node: ChildNode): boolean =>
  node instanceof Text ||
  (node instanceof Element && isInline(node.name) && node.children.every(child => child instanceof Text))
