/** A part of a page as plain text without markup and URLs, with each block on its own line. */

import { isShown } from '@tidemark/html/markdown/shown'
import { formulaText } from '@tidemark/html/tree/formula'
import { isInline } from '@tidemark/html/tree/inline'
import { RowTabs } from '@tidemark/html/tree/row-tabs'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'

/** Minimum line breaks before and after block elements; default 2. A map, because a tag may be `<constructor>`. */
const ends = new Map(Object.entries({ li: 1, dt: 1, dd: 1, tr: 1, div: 1, option: 1, td: 0, th: 0 }))
const paragraph = 2
/** Elements without visible text. */
export const drawn = new Set(['audio', 'video', 'canvas', 'svg'])
const preformatted = new Set(['pre', 'listing', 'xmp', 'plaintext'])

/**
 * Empty lines separate paragraphs, line breaks separate items and rows, tabs separate cells. Preformatted text keeps
 * its white space. Linear in the tree, without recursion.
 */
export function pageText(root: Document | Element): string {
  const paper = new Paper()
  let preformattedNow = 0
  const part = (name: string) => {
    if (!isInline(name)) paper.part(ends.get(name) ?? paragraph)
  }
  walk(root, {
    enter: element => {
      const { name } = element
      if (!isShown(element) || drawn.has(name)) return false
      if (name === 'math') {
        paper.words(formulaText(element))
        return false
      }
      if (name === 'br') paper.line()
      else part(name)
      if (name === 'tr') paper.tabs.beginRow()
      else if (name === 'td' || name === 'th') paper.cell()
      if (preformatted.has(name)) preformattedNow += 1
      return true
    },
    leave: ({ name }) => {
      if (preformatted.has(name)) preformattedNow -= 1
      if (name === 'tr') paper.tabs.clear()
      if (name !== 'br') part(name)
    },
    text: ({ data }) => (preformattedNow > 0 ? paper.asItIs(data) : paper.words(data)),
  })
  return paper.text
}

/** The text so far, and the separator before the next word. */
class Paper {
  text = ''
  #ends = 0
  #space = ''
  readonly tabs = new RowTabs()

  part(ends: number): void {
    if (ends > this.#ends) this.#ends = ends
    if (ends === 0) return
    this.#space = ''
    if (!this.tabs.isRowStart) this.tabs.clear()
  }

  /** Consecutive breaks become at most one empty line. */
  line(): void {
    this.part(Math.min(this.#ends + 1, paragraph))
  }

  cell(): void {
    if (this.tabs.isRowStart || this.#ends === 0) this.tabs.add()
  }

  words(data: string): void {
    const words = data.replace(/[\t\n\f\r ]+/g, ' ')
    if (words.startsWith(' ') && this.#space === '') this.#space = ' '
    const trimmed = words.trim()
    if (trimmed === '') return
    this.#write(trimmed)
    if (words.endsWith(' ')) this.#space = ' '
  }

  /** Trailing breaks are written only when more text follows. */
  asItIs(data: string): void {
    const text = data.replace(/(?<!\n)\n+$/, '')
    if (text !== '') this.#write(text)
    this.part(data.length - text.length)
  }

  #write(text: string): void {
    if (this.text !== '' && this.#ends > 0) this.text += '\n'.repeat(this.#ends)
    const { count, isRowStart } = this.tabs
    if (count > 0 && (isRowStart || this.text !== '')) this.text += '\t'.repeat(count)
    else if (this.text !== '' && this.#ends === 0) this.text += this.#space
    this.text += text
    this.#ends = 0
    this.#space = ''
    this.tabs.clear()
  }
}
