/**
 * The page as flat tables: its visible elements in document order, and their blocks of text. The content of an
 * element is a range of either table, so later steps do not walk the tree.
 */
import type { ChildNode, Document, Element } from 'domhandler'
import { opensPanel } from '../tree/disclosure.ts'
import { readableChildren } from '../tree/formula.ts'
import { hasOnlyButtons } from '../tree/heading-buttons.ts'
import { isShadowRoot } from '../tree/hidden.ts'
import { followsLabel } from '../tree/inline.ts'
import { textOf } from '../tree/text-of.ts'
import { collapsed } from './collapsed.ts'
import { headings, isInline, unread } from './element-kinds.ts'
import { type Measure, measure } from './text-measure.ts'
import { isHidden } from './visibility.ts'

/** A run of text without the border of a block or a line break. */
export type Block = Measure & {
  /** Text with collapsed white space. */
  text: string
  /** The nearest element that is not inline, or -1 outside of all. */
  element: number
  /** Part of the size that is in links. */
  linked: number
  /** Whether it is a line of a poem: one of several in its element that are as long as verses. */
  isVerse: boolean
}

/** Elements are identified by their position in `elements`, and blocks by theirs in `blocks`. */
export type Outline = {
  elements: Element[]
  /** Position of the parent, or -1 for the outermost elements. */
  parents: number[]
  /** Position after the last element inside. */
  ends: number[]
  /** The blocks inside are those from `firstBlock` to before `lastBlock`. */
  firstBlock: number[]
  lastBlock: number[]
  blocks: Block[]
  /** Positions of the elements that have a field for an e-mail address, which is no element of an outline. */
  withEmail: number[]
}

/** Maximum depth: that of parsed pages. */
const maxDepth = 512

type Level = {
  element: number
  block: number
  links: number
  depth: number
  nodes: ChildNode[]
  at: number
  around: Level | null
}

/** Returns the outline of a page, in linear time and without recursion. */
export function outline(document: Document): Outline {
  const builder = new Builder()
  let top: Level | null = {
    element: -1,
    block: -1,
    links: 0,
    depth: 0,
    nodes: document.children,
    at: 0,
    around: null,
  }
  while (top !== null) {
    const node: ChildNode | undefined = top.nodes[top.at++]
    if (node === undefined) {
      builder.leave(top)
      top = top.around
    } else if (node.type === 'text') builder.text(node.data, top)
    else if (
      node.type === 'tag' &&
      top.depth < maxDepth &&
      isRead(node, top, builder.outline) &&
      !isHidden(node)
    ) {
      top = builder.enter(node, top)
    }
  }
  markVerses(builder.outline)
  return builder.outline
}

/** A button is read if it is the text of a heading, or right above the panel that it opens. */
function isRead(element: Element, { block, element: parent }: Level, outline: Outline): boolean {
  if (!unread.has(element.name) || isShadowRoot(element)) return true
  if (element.name === 'input' && element.attribs.type === 'email') outline.withEmail.push(parent)
  if (element.name !== 'button') return false
  const heading = outline.elements[block]
  return heading !== undefined && headings.has(heading.name) ? hasOnlyButtons(heading) : opensPanel(element)
}

/**
 * Returns whether an element leads away from the text. Anchors have no address, links to files belong to the text
 * beside them, and buttons and questions without an address of their own open an answer beneath.
 */
function isLink(element: Element): boolean {
  const { name, attribs } = element
  const { role } = attribs
  const href = attribs.href?.trim()
  if (name !== 'a' || href === undefined || file.test(href)) return false
  const opens = role === 'button' || role === 'tab' || attribs['aria-expanded'] !== undefined
  if (opens && /^(?:#|$|javascript:)/i.test(href)) return false
  return !/^(?:#?$|javascript:)/i.test(href) || !/[?？؟]\s*$/.test(textOf(element))
}

const file = /\.(?:pdf|docx?|odt|xlsx?|ods|csv|pptx?|epub|zip)(?:[?#]|$)/i

/** Elements that repeat the characters beside them as they are read. */
const readings = new Set(['rt', 'rp'])

class Builder {
  readonly outline: Outline = {
    elements: [],
    parents: [],
    ends: [],
    firstBlock: [],
    lastBlock: [],
    blocks: [],
    withEmail: [],
  }
  #open: Block | null = null

  enter(element: Element, top: Level): Level {
    const { elements, parents, ends, firstBlock, lastBlock, blocks } = this.outline
    const goesOn = isInline(element)
    if (!goesOn) this.#close()
    else if (followsLabel(element)) this.text(' ', top)
    const position = elements.length
    elements.push(element)
    parents.push(top.element)
    ends.push(0)
    lastBlock.push(0)
    firstBlock.push(this.#open === null ? blocks.length : blocks.length - 1)
    const links = top.links + (isLink(element) ? 1 : 0)
    return {
      element: position,
      block: goesOn ? top.block : position,
      links,
      depth: top.depth + 1,
      nodes: readableChildren(element),
      at: 0,
      around: top,
    }
  }

  leave({ element, block }: Level): void {
    if (element === block) this.#close()
    if (element < 0) return
    this.outline.ends[element] = this.outline.elements.length
    this.outline.lastBlock[element] = this.outline.blocks.length
  }

  text(data: string, { element, block, links }: Level): void {
    if (readings.has(this.outline.elements[element]?.name ?? '')) return
    if (this.#open === null) {
      if (!/\S/.test(data)) return
      this.#open = { text: '', element: block, size: 0, words: 0, marks: 0, linked: 0, isVerse: false }
      this.outline.blocks.push(this.#open)
    }
    const before = this.#open.size
    measure(data, this.#open)
    if (links > 0) this.#open.linked += this.#open.size - before
    this.#open.text += data
  }

  #close(): void {
    if (this.#open === null) return
    this.#open.text = collapsed(this.#open.text).trim()
    this.#open = null
  }
}

const minLines = 4
/** Minimum words of a verse on average. Lines of a list of names have fewer words. */
const minWordsOfLine = 4
/** Most lines of an address, of opening hours and of the data of a product have a number or a colon. */
const factual = /[\d:：]/

/** Marks consecutive lines of a poem, most of which are neither links nor facts. They need no punctuation. */
function markVerses(page: Outline): void {
  const { blocks } = page
  const stanzas = blocks.map(block => stanzaOf(block, page))
  for (let from = 0, to = 0; from < blocks.length; from = to) {
    while (to < blocks.length && stanzas[to] === stanzas[from]) to++
    const lines = to - from < minLines ? [] : blocks.slice(from, to)
    const areApart = stanzas[from] !== blocks[from]?.element
    if (isPoem(lines) && !(areApart && areSentences(lines))) for (const line of lines) line.isVerse = true
  }
}

/** Returns the element with the lines of a poem: the one around a line, or its parent if each `div` is a line. */
function stanzaOf({ element }: Block, { elements, parents, firstBlock, lastBlock }: Outline): number {
  const line = elements[element]
  const isOnlyLine = line?.name === 'div' && (lastBlock[element] ?? 0) - (firstBlock[element] ?? 0) === 1
  if (!isOnlyLine) return element
  const parent = parents[element] ?? -1
  const isVerse = isBreak(line.children.at(-1)) || ofPoem.test(elements[parent]?.attribs.class ?? '')
  return isVerse ? parent : element
}

const isBreak = (node: ChildNode | undefined): boolean => node?.type === 'tag' && node.name === 'br'
const ofPoem = /(?:^|[\s_-])(?:poem|poetry|verses?|stanza|lyrics)(?=$|[\s_-])/i

/** Maximum characters of a verse. Other texts have longer lines, or most of their lines end as sentences do. */
const maxVerseLength = 90
const areSentences = (lines: readonly Block[]): boolean =>
  lines.some(({ text }) => text.length > maxVerseLength) ||
  lines.filter(({ text }) => /[.!?。！？…]["”’»]?$/.test(text)).length > lines.length / 2

function isPoem(lines: readonly Block[]): boolean {
  const sum = (count: (line: Block) => number) => lines.reduce((sum, line) => sum + count(line), 0)
  return (
    sum(({ words }) => words) >= lines.length * minWordsOfLine &&
    sum(({ linked }) => linked) <= sum(({ size }) => size) / 4 &&
    sum(({ text }) => (factual.test(text) ? 1 : 0)) <= lines.length / 2
  )
}
