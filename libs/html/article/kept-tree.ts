/** Copies the kept elements of a page into a separate clean tree. The page's tree is not changed. */
import { type ChildNode, Document, Element, type ParentNode, Text } from 'domhandler'
import { codeIn, languageOf, statedLanguageOf } from '../tree/code-language.ts'
import { codeText, isListing } from '../tree/code-text.ts'
import { isFootnoteText } from '../tree/footnote-text.ts'
import { readableChildren } from '../tree/formula.ts'
import { emojiOf, imageSource, isImage } from '../tree/image-source.ts'
import { followsLabel, isSourceAbove } from '../tree/inline.ts'
import { hasLayout } from '../tree/layout.ts'
import { LineNumbers } from '../tree/line-numbers.ts'
import { isPermalink, shortText } from '../tree/permalink.ts'
import { isRedundant } from '../tree/redundant.ts'
import { tablePartOf } from '../tree/table-kind.ts'
import { addresses, attributesFor, cleanElements, emptyOnly } from './clean-elements.ts'
import { headings, inline, isInline } from './element-kinds.ts'

/** Returns the absolute address, or null for an address without a target. */
export type Resolve = (address: string) => string | null

type Level = {
  nodes: ChildNode[]
  at: number
  into: ParentNode
  /** Whether the nodes are in a link. */
  link: boolean
  /** Language of the code that the nodes are in, the empty string if it is unknown, or null outside of code. */
  code: string | null
  /** Text after the nodes. */
  end: string
  around: Level | null
}

type Means = { resolve: Resolve; numbers: LineNumbers; languages: Map<Element, string> }

/**
 * Returns a clean tree.
 * @param nodes Nodes to copy, in this order.
 * @param isKept Returns whether an element is kept. The content of other elements is left out too.
 */
export function keptTree(
  nodes: ChildNode[],
  isKept: (element: Element) => boolean,
  resolve: Resolve,
): Document {
  const root = new Document([])
  /** Row groups with a cell that spans rows. There an empty row counts. */
  const spanned = new Set<ParentNode>()
  const means: Means = { resolve, numbers: new LineNumbers(), languages: new Map() }
  let top: Level | null = { nodes, at: 0, into: root, link: false, code: null, end: '', around: null }
  while (top !== null) {
    const node: ChildNode | undefined = top.nodes[top.at++]
    if (node === undefined) {
      if (top.end !== '') append(top.into, new Text(top.end))
      if (top.around?.into !== top.into) closeElement(top.into, spanned, top.around?.code != null)
      top = top.around
    } else if (node.type === 'text') {
      append(top.into, new Text(node.data))
    } else if (node.type === 'tag') {
      if (isKept(node) && !isRedundant(node, means.languages)) {
        top = isListing(node) ? list(node, top, means) : enter(node, top, means)
        const group = spannedGroup(top.into)
        if (group !== null) spanned.add(group)
      } else if (node.name === 'tr' && spanned.has(top.into) && hasLayout(node)) {
        append(top.into, new Element('tr', {}, []))
      } else if (top.code === null && !isInline(node)) {
        append(top.into, new Text(' ')) // it separated the words around it
      }
    }
  }
  return root
}

/** Copies a block of code without `pre` as a `pre` with nothing but its text. */
function list(node: Element, top: Level, means: Means): Level {
  const code = codeText(node, inner => means.numbers.has(inner))
  const language = languageOf(node, means.languages)
  const copy = new Element('pre', language === '' ? {} : { class: `language-${language}` }, [])
  append(copy, new Text(code))
  if (code !== '') append(top.into, copy)
  return top
}

function enter(node: Element, top: Level, { resolve, numbers, languages }: Means): Level {
  if (isLinkToItself(node, top) || numbers.has(node, top.code !== null)) return top
  if (followsLabel(node)) append(top.into, new Text(' '))
  const level: Level = { ...top, nodes: readableChildren(node), at: 0, end: '', around: top }
  if (isFootnoteText(node)) {
    append(top.into, new Text(' ('))
    level.end = ')'
  }
  if (isSourceAbove(node)) level.end = ' '
  if (node.name === 'pre') level.code = languageOf(node, languages)
  const emoji = isImage(node) ? emojiOf(node) : ''
  if (isImage(node)) level.nodes = emoji === '' ? [] : [new Text(emoji)]
  if (emoji !== '') return level
  const name = isImage(node) ? 'img' : cleanName(node, top.into)
  if (name === null || (name === 'a' && top.link)) return level
  const attributes = attributesOf(node, resolve)
  if (node.name === 'a' && attributes.href === undefined) return level
  if (isImage(node) && attributes.src === undefined) return level
  const language = languageFor(node, level.code)
  if (language !== '') attributes.class = `language-${language}`
  const copy = new Element(name, attributes, [])
  append(top.into, copy)
  level.into = copy
  if (node.name === 'a') level.link = true
  return level
}

/** Signs of links from a note back to the text. */
const back = /^(?:[↩↑⤴\s]|\ufe0e|\ufe0f)+$/u

/** Returns whether an element is a link from a part of the text to itself, or from a note back to the text. */
function isLinkToItself(node: Element, { link }: Level): boolean {
  const { href } = node.attribs
  if (node.name !== 'a' || link || href === undefined) return false
  return isPermalink(node, href.trim()) || (href.startsWith('#') && back.test(shortText(node) ?? ''))
}

/** Returns the clean name of an element that separates blocks, or null if only its content is kept. */
function cleanName(element: Element, into: ParentNode): string | null {
  const name = tablePartOf(element)
  if (cleanElements.has(name)) return name
  const inLine =
    into instanceof Element && (into.name === 'p' || headings.has(into.name) || inline.has(into.name))
  return inLine || isInline(element) ? null : 'div'
}

function append(into: ParentNode, node: Element | Text): void {
  const last = into.children.at(-1)
  if (last?.type === 'text' && node.type === 'text') {
    last.data += node.data
    return
  }
  node.parent = into
  node.prev = last ?? null
  if (last !== undefined) last.next = node
  into.children.push(node)
}

/** Returns the row group of a cell that spans rows, or null for any other node. */
const spannedGroup = (node: ParentNode): ParentNode | null =>
  node instanceof Element && (node.attribs.rowspan ?? '1') !== '1' ? (node.parent?.parent ?? null) : null

/**
 * Removes an element again if it is empty. An empty row stays if cells from above may extend into it, and the white
 * space in code.
 */
function closeElement(element: ParentNode, spanned: ReadonlySet<ParentNode>, isInCode: boolean): void {
  if (!(element instanceof Element) || emptyOnly.has(element.name)) return
  if (element.name === 'tr' && element.parent !== null && spanned.has(element.parent)) return
  if (
    element.children.some(child => child.type === 'tag' || (child.type === 'text' && /\S/.test(child.data)))
  )
    return
  const { parent, prev } = element
  if (parent === null) return
  const isLast = parent.children.at(-1) === element
  if (!isLast) return
  parent.children.pop()
  if (prev !== null) prev.next = null
  if (headings.has(element.name) || element.children.length === 0) return
  append(parent, new Text(isInCode ? element.children.map(child => (child as Text).data).join('') : ' '))
}

function attributesOf(element: Element, resolve: Resolve): Record<string, string> {
  const { attribs } = element
  const name = isImage(element) ? 'img' : element.name
  const kept: Record<string, string> = {}
  for (const attribute of attributesFor(name)) {
    const isSource = name === 'img' && attribute === 'src'
    const value = isSource ? imageSource(element) : (attribs[attribute] ?? null)
    const clean = value !== null && addresses.has(attribute) ? resolve(value) : value
    if (clean !== null) kept[attribute] = clean
  }
  return kept
}

/** Returns the language in the class of an element, which is its `code` in a code block (HTML, 4.5.15). */
function languageFor(element: Element, code: string | null): string {
  const { name, parent } = element
  if (name === 'pre') return codeIn(element) === undefined ? (code ?? '') : ''
  if (name !== 'code') return ''
  const isOfBlock = parent instanceof Element && parent.name === 'pre'
  return statedLanguageOf(element) || (isOfBlock ? (code ?? '') : '')
}
