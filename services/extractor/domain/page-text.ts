/** A part of a page as plain text, as a reader sees it: no marks, no addresses, blocks on lines of their own. */
import { isShown } from '@tidemark/html/markdown/shown'
import { isInline } from '@tidemark/html/tree/inline'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element } from 'domhandler'

/** Line ends before and after an element that is not inline, at least; two where nothing is said. */
const ends: Readonly<Record<string, number>> = { li: 1, dt: 1, dd: 1, tr: 1, div: 1, option: 1, td: 0, th: 0 }
const paragraph = 2
/** Of which a reader sees no text. */
const drawn = new Set(['audio', 'video', 'canvas', 'svg'])
const preformatted = new Set(['pre', 'listing', 'xmp', 'plaintext'])

/**
 * Paragraphs are parted by an empty line, items and rows by a line's end, cells by a tab; what is preformatted
 * keeps its white space. Linear in the tree, without recursion.
 */
export function pageText(root: Document | Element): string {
  const paper = new Paper()
  let preformattedNow = 0
  const part = (name: string) => {
    if (!isInline(name)) paper.part(ends[name] ?? paragraph)
  }
  walk(root, {
    enter: element => {
      const { name } = element
      if (!isShown(element) || drawn.has(name)) return false
      if (name === 'br') paper.line()
      else part(name)
      if (name === 'td' || name === 'th') paper.cell()
      if (preformatted.has(name)) preformattedNow += 1
      return true
    },
    leave: ({ name }) => {
      if (preformatted.has(name)) preformattedNow -= 1
      if (name !== 'br') part(name)
    },
    text: ({ data }) => (preformattedNow > 0 ? paper.asItIs(data) : paper.words(data)),
  })
  return paper.text
}

/** What was written, and what is to stand before the next word. */
class Paper {
  text = ''
  #ends = 0
  #space = ''

  part(ends: number): void {
    if (ends > this.#ends) this.#ends = ends
    if (ends > 0) this.#space = ''
  }

  /** Each is a line's end of its own; no more than an empty line comes of them. */
  line(): void {
    this.#ends = Math.min(this.#ends + 1, paragraph)
    this.#space = ''
  }

  cell(): void {
    if (this.#ends === 0) this.#space = '\t'
  }

  words(data: string): void {
    const words = data.replace(/[\t\n\f\r ]+/g, ' ')
    if (words.startsWith(' ') && this.#space === '') this.#space = ' '
    const trimmed = words.trim()
    if (trimmed === '') return
    this.#write(trimmed)
    if (words.endsWith(' ')) this.#space = ' '
  }

  /** Line ends at its end are not written before more comes. */
  asItIs(data: string): void {
    const text = data.replace(/\n+$/, '')
    if (text !== '') this.#write(text)
    this.part(data.length - text.length)
  }

  #write(text: string): void {
    if (this.text !== '') this.text += this.#ends > 0 ? '\n'.repeat(this.#ends) : this.#space
    this.text += text
    this.#ends = 0
    this.#space = ''
  }
}
