/**
 * All text of a page as one string, in which the text of every element is a range. Reading the text of thousands of
 * nested elements costs no more than reading the page once.
 */
import type { Element } from 'domhandler'
import { walk } from '../tree/walk.ts'
import { isOutside, type Outline } from './outline.ts'

/** Returns the replacement for an element's text, or null to use the element's own text. */
type Replace = (element: Element) => string | null

export class TextLine {
  readonly #text: string
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /** Collects the text of a document. By default it equals `textContent` of the DOM. */
  constructor(outline: Outline, replace: Replace = () => null) {
    let text = ''
    let position = 0
    const open: number[] = []
    const silent: boolean[] = []
    walk(outline.document, {
      enter: element => {
        if (isOutside(element)) return false
        const instead = silent.at(-1) === true ? '' : replace(element)
        this.#starts.push(text.length)
        text += instead ?? ''
        open.push(position++)
        silent.push(instead !== null)
        return true
      },
      leave: () => {
        this.#ends[open.pop() ?? 0] = text.length
        silent.pop()
      },
      text: ({ data }) => {
        if (silent.at(-1) !== true) text += data
      },
    })
    this.#text = text
  }

  /** Returns the text of the element at that position of the outline. */
  of(position: number): string {
    return this.#text.slice(this.#starts[position], this.#ends[position])
  }
}
