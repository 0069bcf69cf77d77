/**
 * The page as flat tables: its visible elements in document order and the blocks of text they hold. What an
 * element holds is a range of either table, so no later question walks the tree.
 */
import type { ChildNode, Document, Element } from 'domhandler'
import { inline, unread } from './element-kinds.ts'
import { type Measure, measure } from './text-measure.ts'
import { isHidden } from './visibility.ts'

/** A run of text without a block's border or a line break in it. */
export type Block = Measure & {
  /** White space collapsed. */
  text: string
  /** The nearest element that is not inline; -1 outside of all. */
  element: number
  /** Of the size, what stands in links. */
  linked: number
}

/** Elements are named by their place in `elements`, blocks by theirs in `blocks`. */
export type Outline = {
  elements: Element[]
  /** -1 for the outermost. */
  parents: number[]
  /** The place after the last element inside. */
  ends: number[]
  /** The blocks inside are those from `firstBlock` to before `lastBlock`. */
  firstBlock: number[]
  lastBlock: number[]
  blocks: Block[]
}

/** What is nested deeper is not read. */
const deepest = 256

type Level = { element: number; block: number; links: number; nodes: ChildNode[]; at: number }

export function outline(document: Document): Outline {
  const builder = new Builder()
  const levels: Level[] = [{ element: -1, block: -1, links: 0, nodes: document.children, at: 0 }]
  for (let top = levels.at(-1); top !== undefined; top = levels.at(-1)) {
    const node = top.nodes[top.at++]
    if (node === undefined) {
      levels.pop()
      builder.leave(top)
    } else if (node.type === 'text') builder.text(node.data, top)
    else if (node.type === 'tag' && levels.length <= deepest && !unread.has(node.name) && !isHidden(node)) {
      levels.push(builder.enter(node, top))
    }
  }
  return builder.outline
}

class Builder {
  readonly outline: Outline = {
    elements: [],
    parents: [],
    ends: [],
    firstBlock: [],
    lastBlock: [],
    blocks: [],
  }
  #open: Block | null = null
  #pieces: string[] = []

  enter(element: Element, top: Level): Level {
    const { elements, parents, firstBlock, blocks } = this.outline
    const goesOn = inline.has(element.name)
    if (!goesOn) this.#close()
    const place = elements.length
    elements.push(element)
    parents.push(top.element)
    firstBlock.push(this.#open === null ? blocks.length : blocks.length - 1)
    const links = top.links + (element.name === 'a' ? 1 : 0)
    return { element: place, block: goesOn ? top.block : place, links, nodes: element.children, at: 0 }
  }

  leave({ element, block }: Level): void {
    if (element === block) this.#close()
    if (element < 0) return
    this.outline.ends[element] = this.outline.elements.length
    this.outline.lastBlock[element] = this.outline.blocks.length
  }

  text(data: string, { block, links }: Level): void {
    if (this.#open === null) {
      if (!/\S/.test(data)) return
      this.#pieces = []
      this.#open = { text: '', element: block, size: 0, words: 0, marks: 0, linked: 0 }
      this.outline.blocks.push(this.#open)
    }
    const before = this.#open.size
    measure(data, this.#open)
    if (links > 0) this.#open.linked += this.#open.size - before
    this.#pieces.push(data)
  }

  #close(): void {
    if (this.#open === null) return
    this.#open.text = this.#pieces.join('').replace(/\s+/g, ' ').trim()
    this.#open = null
  }
}
