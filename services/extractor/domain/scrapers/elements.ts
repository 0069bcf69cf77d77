/** Finds elements of a page and reads their values. Each search takes time linear in the searched tree. */
import { isShown } from '@tidemark/html/markdown/shown'
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { formulaText } from '@tidemark/html/tree/formula'
import { isInline } from '@tidemark/html/tree/inline'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { collapse } from '@tidemark/html/tree/raw-text'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element, ParentNode } from 'domhandler'
import { maxItems, shown } from './bounds.ts'

export type Test = (element: Element) => boolean

export const treeOf = (html: string): Document => parseTree(html)

/** Returns the outermost matching elements. */
export function elementsIn(root: ParentNode | null, test: Test, max = maxItems): Element[] {
  const found: Element[] = []
  if (root === null) return found
  walk(root, {
    enter: element => {
      if (found.length === max) return false
      const passes = test(element)
      if (passes) found.push(element)
      return !passes
    },
  })
  return found
}

export const elementIn = (root: ParentNode | null, test: Test): Element | null =>
  elementsIn(root, test, 1)[0] ?? null

/** Returns the article of a page of MediaWiki. Indicators above the article have its class too. */
export const articleIn = (page: Document): Element | null =>
  elementIn(elementIn(page, withAttribute('id', 'mw-content-text')) ?? page, withClass('mw-parser-output'))

export const withName =
  (...names: string[]): Test =>
  ({ name }) =>
    names.includes(name)

export const withClass =
  (word: string): Test =>
  element =>
    hasWord(element, 'class', word)

export const withAttribute =
  (name: string, value?: string): Test =>
  element => {
    const found = attribute(element, name)
    return found !== null && (value === undefined || found === value)
  }

export const every =
  (...tests: Test[]): Test =>
  element =>
    tests.every(test => test(element))

/** Returns whether an element is visible, as far as the page itself decides. */
export const isVisible: Test = element => isShown(element)

/** Returns the visible text on one line, with formulas as TeX and without excluded elements; null if empty. */
export function lineOf(root: ParentNode | null, omit: Test = () => false): string | null {
  if (root === null) return null
  let text = ''
  const apart = ({ name }: Element) => {
    if (!isInline(name)) text += ' '
  }
  walk(root, {
    enter: element => {
      if (!isVisible(element) || omit(element)) return false
      apart(element)
      if (element.name !== 'math') return true
      text += formulaText(element)
      return false
    },
    leave: apart,
    text: ({ data }) => {
      text += data
    },
  })
  return shown(collapse(text))
}

/** Returns the visible text of each element on one line, without empty texts. */
export const linesOf = (elements: Element[]): string[] => elements.flatMap(element => lineOf(element) ?? [])

export const attributeOf = (element: Element | null, name: string): string | null =>
  element === null ? null : shown(attribute(element, name)?.trim() ?? '')

/** Returns the first integer in the text, with or without commas. */
export function integerIn(text: string | null): number | null {
  const [digits] = /-?\d[\d,]{0,15}/.exec(text ?? '') ?? []
  return digits === undefined ? null : Number(digits.replaceAll(',', ''))
}

/** Returns the target of a link if it is an http(s) URL. */
export function addressOf(element: Element | null, base: string): string | null {
  const written = element === null ? null : attribute(element, 'href')
  const url = written === null ? null : URL.parse(written, base)
  return url !== null && /^https?:$/.test(url.protocol) ? shown(url.href) : null
}
