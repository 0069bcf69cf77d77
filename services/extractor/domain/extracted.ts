/** The values that a client names by CSS selectors. */
import type { Selector } from '@tidemark/contracts/ask/content'
import { select } from '@tidemark/html/selection/select'
import { attribute } from '@tidemark/html/tree/attribute'
import { textOf } from '@tidemark/html/tree/text-of'
import type { Document, Element } from 'domhandler'

export type Extracted = Record<string, string | null | string[]>

/** Values of one name, and characters of one value. */
const mostValues = 1_000
const longestValue = 10_000

/** Attributes that hold an address; their values are made absolute. */
const addresses = new Set(['href', 'src', 'action', 'cite', 'poster', 'data'])

/**
 * Of the first element that matches its text or its attribute, null when there is none; with `all`, of each. A selector
 * that no element can match, or that is none, finds nothing.
 */
export function extractedFrom(tree: Document, wanted: Record<string, Selector>, base: string): Extracted {
  return Object.fromEntries(
    Object.entries(wanted).map(([name, selector]) => [name, namedValue(tree, selector, base)]),
  )
}

function namedValue(tree: Document, { selector, attr, all = false }: Selector, base: string) {
  const values = select(tree, selector, all ? mostValues : 1).map(element =>
    readValue(element, attr?.toLowerCase(), base),
  )
  return all ? values.filter(value => value !== null) : (values[0] ?? null)
}

function readValue(element: Element, attr: string | undefined, base: string): string | null {
  const value = attr === undefined ? textOf(element) : attribute(element, attr)
  if (value === null) return null
  const isAddress = attr !== undefined && addresses.has(attr)
  return (isAddress ? (URL.parse(value, base)?.href ?? value) : value).slice(0, longestValue).toWellFormed()
}
