/** The values that a client names by CSS selectors. */
import type { Selector } from '@tidemark/contracts/ask/content'
import { createSelection } from '@tidemark/html/selection/select'
import { attribute } from '@tidemark/html/tree/attribute'
import { textOf } from '@tidemark/html/tree/text-of'
import type { Document, Element } from 'domhandler'
import { mostCharacters } from './content-bounds.ts'

export type Extracted = Record<string, string | null | string[]>

/** Values of one name, and characters of one value. */
const mostValues = 1_000
const longestValue = 10_000

/** Attributes that hold an address; their values are made absolute. */
const addresses = new Set(['href', 'src', 'action', 'cite', 'poster', 'data'])

/**
 * Of the first element that matches its text or its attribute, null when there is none; with `all`, of each. A selector
 * that no element can match, or that is none, finds nothing; what was left out is said in `warnings`.
 */
export function extractedFrom(
  tree: Document,
  wanted: Record<string, Selector>,
  base: string,
): { extracted: Extracted; warnings: string[] } {
  const selection = createSelection(tree)
  const warnings: string[] = []
  let room = mostCharacters
  const valuesOf = (name: string, { selector, attr, all = false }: Selector): Extracted[string] => {
    const elements = selection.select(selector, all ? mostValues : 1)
    if (elements === null) warnings.push(`the selector of "${name}" takes too many steps on this page`)
    const values: string[] = []
    for (const element of elements ?? []) {
      const value = readValue(element, attr?.toLowerCase(), base)
      if (value === null) continue
      if (value.length > room) {
        warnings.push(`"${name}" lacks what is beyond ${mostCharacters} characters of all values`)
        break
      }
      room -= value.length
      values.push(value)
    }
    return all ? values : (values[0] ?? null)
  }
  const entries = Object.entries(wanted).map(([name, one]) => [name, valuesOf(name, one)])
  return { extracted: Object.fromEntries(entries), warnings }
}

function readValue(element: Element, attr: string | undefined, base: string): string | null {
  const value = attr === undefined ? textOf(element) : attribute(element, attr)
  if (value === null) return null
  const isAddress = attr !== undefined && addresses.has(attr)
  return (isAddress ? (URL.parse(value, base)?.href ?? value) : value).slice(0, longestValue).toWellFormed()
}
