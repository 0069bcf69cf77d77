/** The line numbers beside code, which are elements of their own in many pages. */
import type { Element, ParentNode } from 'domhandler'
import { wordsOf } from './attribute.ts'
import { rawTextOf } from './raw-text.ts'

const gutter =
  /^(?:hljs-ln-numbers|linenos?|lineno|line-?num(?:ber)?s?|gutter|blob-num|ln|rouge-gutter|code-line-number)$/
const cellOfGutter = /^(?:linenos?|gutter|rouge-gutter|gl|lineno|line-numbers)$/
const numbers = /^[\s\d|.:]*$/

const isNamed = (element: Element, names: RegExp): boolean =>
  element.attribs.class !== undefined && wordsOf(element, 'class').some(word => names.test(word))

/** Returns whether a cell of a table is named like the line numbers beside code. */
export const isCellOfGutter = (element: Element): boolean => isNamed(element, cellOfGutter)

/** Recognizes the line numbers within code, and in the cells beside it. */
export class LineNumbers {
  /** Elements named like a gutter without being one, and the elements in them, where no gutters are searched. */
  readonly #misnamed = new Set<ParentNode | null>()

  /**
   * Returns whether an element contains only line numbers. It is called after the same call for its parent.
   * @param isInCode Whether the element is within code. Outside of it, only cells contain line numbers.
   */
  has(element: Element, isInCode = true): boolean {
    if (this.#misnamed.has(element.parent)) this.#misnamed.add(element)
    else if (isInCode ? isNamed(element, gutter) : element.name === 'td' && isCellOfGutter(element)) {
      const text = rawTextOf(element)
      // An empty cell keeps the others in their columns.
      if (numbers.test(text) && (isInCode || /\d/.test(text))) return true
      this.#misnamed.add(element)
    }
    return false
  }
}
