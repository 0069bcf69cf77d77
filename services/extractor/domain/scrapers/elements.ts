/** Elements of a page by what they are, and what they say. Each search takes time linear in what it looks through. */
import { attribute, hasWord } from '@tidemark/html/tree/attribute'
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import { collapse } from '@tidemark/html/tree/text-of'
import { walk } from '@tidemark/html/tree/walk'
import type { Document, Element, ParentNode } from 'domhandler'
import { mostItems, shown } from './bounds.ts'

export type Test = (element: Element) => boolean

export const treeOf = (html: string): Document => parseTree(html)

/** The outermost elements in it that pass; those in one of them are not looked at. */
export function elementsIn(root: ParentNode | null, test: Test, most = mostItems): Element[] {
  const found: Element[] = []
  if (root === null) return found
  walk(root, {
    enter: element => {
      if (found.length === most) return false
      const passes = test(element)
      if (passes) found.push(element)
      return !passes
    },
  })
  return found
}

export const elementIn = (root: ParentNode | null, test: Test): Element | null =>
  elementsIn(root, test, 1)[0] ?? null

export const named =
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

/** What a reader sees of it on one line, without the elements that are left out; null when that is nothing. */
export function lineOf(root: ParentNode | null, omit: Test = () => false): string | null {
  if (root === null) return null
  let text = ''
  const apart = ({ name }: Element) => {
    if (!isInline(name)) text += ' '
  }
  walk(root, {
    enter: element => {
      if (isHidden(element) || omit(element)) return false
      apart(element)
      return true
    },
    leave: apart,
    text: ({ data }) => {
      text += data
    },
  })
  return shown(collapse(text))
}

/** The same of each, without those that say nothing. */
export const linesOf = (elements: Element[]): string[] => elements.flatMap(element => lineOf(element) ?? [])

export const attributeOf = (element: Element | null, name: string): string | null =>
  element === null ? null : shown(attribute(element, name)?.trim() ?? '')

/** An integer as a page writes it, with or without commas: the first in the text. */
export function integerIn(text: string | null): number | null {
  const [digits] = /-?\d[\d,]{0,15}/.exec(text ?? '') ?? []
  return digits === undefined ? null : Number(digits.replaceAll(',', ''))
}

/** Where a link leads, if that is an address of the web. */
export function addressOf(element: Element | null, name: string, base: string): string | null {
  const url = URL.parse(attributeOf(element, name) ?? '', base)
  return element !== null && attribute(element, name) !== null && /^https?:$/.test(url?.protocol ?? '')
    ? shown(url?.href ?? '')
    : null
}
