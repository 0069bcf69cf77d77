/** The line numbers beside code, which are elements of their own in many pages. */
import type { Element, ParentNode } from 'domhandler'
import { wordsOf } from './attribute.ts'
import { rawTextOf } from './raw-text.ts'

const gutter =
  /^(?:hljs-ln-numbers|linenos?|lineno|line-?num(?:ber)?s?|gutter|blob-num|ln|rouge-gutter|code-line-number)$/
const numbers = /^[\s\d|.:]*$/

/** Returns whether an element is named like a gutter of line numbers. */
const isNamedGutter = (element: Element): boolean =>
  element.attribs.class !== undefined && wordsOf(element, 'class').some(word => gutter.test(word))

/** Recognizes the line numbers within code. */
export class LineNumbers {
  /** Elements named like a gutter without being one, and the elements in them, where no gutters are searched. */
  readonly #misnamed = new Set<ParentNode | null>()

  /** Returns whether an element contains only line numbers. It is called after the same call for its parent. */
  has(element: Element): boolean {
    const isWithin = this.#misnamed.has(element.parent)
    if (!isWithin && !isNamedGutter(element)) return false
    if (!isWithin && numbers.test(rawTextOf(element))) return true
    this.#misnamed.add(element)
    return false
  }
}
